// Limits are checked in one pass over the text; then nlohmann's parser runs with a builder of our own that
// refuses equal keys. Its error messages are shortened.
#include "base/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/json_text.hpp"
#include "base/limits.hpp"
#include "base/quotation.hpp"

namespace markeval {
namespace {

using nlohmann::json;

/// "config.json: line 3", or of a text of one line "config.json".
std::string where(std::string_view text, std::size_t position, const std::string& name) {
  const std::string_view last = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  if (last.find('\n') == std::string_view::npos) return name;
  const std::string_view before = text.substr(0, std::min(position, text.size()));
  return fmt::format("{}: line {}", name, 1 + std::count(before.begin(), before.end(), '\n'));
}

/// Brackets, keys (the colons outside of strings) and values, before anything is built of them. Where the
/// text is no JSON, the parser says so.
void check_limits(std::string_view text, const std::string& name, const JsonLimits& limits) {
  if (text.size() > limit_of(Limit::json_bytes))
    throw_beyond(Limit::json_bytes, fmt::format("{}: {} bytes of JSON", name, text.size()));
  if (text.size() > limits.bytes)
    throw_invalid(fmt::format("{}: {} bytes of JSON, expected at most {}", name, text.size(), limits.bytes));
  const std::uint64_t most_depth = limit_of(Limit::json_depth);
  std::size_t depth = 0, keys = 0, values = 1;  // a bracket may hold a value, a comma announces one
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' || text[i] == '{') {
      ++values;
      if (++depth > most_depth)
        throw_beyond(Limit::json_depth, fmt::format("{}: {} levels of JSON", where(text, i, name), depth));
    } else if (text[i] == ']' || text[i] == '}') {
      if (depth > 0) --depth;
    } else if (text[i] == ',') {
      ++values;
    } else if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) {
        if (text[i] == '\\') ++i;
      }
    } else if (text[i] == ':') {
      ++keys;
    }
  }
  if (keys > limits.keys)
    throw_invalid(fmt::format("{}: {} keys of JSON, expected at most {}", name, keys, limits.keys));
  if (values > limits.values)
    throw_invalid(
        fmt::format("{}: about {} values of JSON, expected at most {}", name, values, limits.values));
  if (values > limit_of(Limit::json_values))
    throw_beyond(Limit::json_values, fmt::format("{}: about {} values of JSON", name, values));
}

/// What nlohmann says, without its code in brackets, its count of lines and its long quotation:
///   "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while parsing value -
///   unexpected '}'; expected string literal"  ->  "unexpected '}'; expected string literal"
std::string reason_of(std::string_view message) {
  const auto drop_through = [&](std::string_view mark) {
    if (const std::size_t found = message.find(mark); found != std::string_view::npos)
      message.remove_prefix(found + mark.size());
  };
  drop_through("] ");
  drop_through(": ");
  if (message.starts_with("syntax error")) drop_through(" - ");
  constexpr std::string_view kQuotes = "; last read: '";
  const std::size_t quote = message.find(kQuotes);
  if (quote == std::string_view::npos) return shortened(message);
  const std::size_t expected = message.rfind("; expected ");
  const std::size_t end = expected > quote ? std::min(expected, message.size()) : message.size();
  std::string_view read = message.substr(quote + kQuotes.size(), end - quote - kQuotes.size());
  if (read.ends_with('\'')) read.remove_suffix(1);
  return fmt::format("{} after {}{}", shortened(message.substr(0, quote)), in_quotes(read),
                     shortened(message.substr(end)));
}

/// Builds the document from what the library's parser finds. Its own builder lets the last of two equal keys
/// win.
class DocumentBuilder {
 public:
  DocumentBuilder(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  json take() { return std::move(root_); }

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(json::number_integer_t value) { return add(value); }
  bool number_unsigned(json::number_unsigned_t value) { return add(value); }
  bool number_float(json::number_float_t value, const std::string&) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(json::binary_t& value) { return add(std::move(value)); }
  bool start_object(std::size_t) { return open(json::value_t::object); }
  bool start_array(std::size_t) { return open(json::value_t::array); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    const auto [member, is_new] = open_.back()->get_ref<json::object_t&>().emplace(name, nullptr);
    if (!is_new)
      throw_invalid(fmt::format("{}: the key {} comes twice in one object", name_, in_quotes(name)));
    member_ = &member->second;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const json::exception& error) const {
    throw_invalid(fmt::format("{}: not JSON: {}", where(text_, position, name_), reason_of(error.what())));
  }

 private:
  template <typename Value>
  json& put(Value&& value) {
    if (open_.empty()) return root_ = json(std::forward<Value>(value));
    if (open_.back()->is_array())
      return open_.back()->get_ref<json::array_t&>().emplace_back(std::forward<Value>(value));
    return *member_ = json(std::forward<Value>(value));
  }
  template <typename Value>
  bool add(Value&& value) {
    put(std::forward<Value>(value));
    return true;
  }
  bool open(json::value_t kind) {
    json& made = put(kind);
    open_.push_back(&made);
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view text_;
  const std::string& name_;
  json root_;
  std::vector<json*> open_;  ///< lists and objects not yet closed
  json* member_ = nullptr;   ///< of the innermost object, where its value belongs
};

}  // namespace

json parse_json(std::string_view text, const std::string& name, const JsonLimits& limits) {
  // To the parser a NUL is the end, whatever follows.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
    throw_invalid(fmt::format("{}: not JSON: a NUL byte", where(text, nul, name)));
  check_limits(text, name, limits);
  DocumentBuilder builder(text, name);
  json::sax_parse(text, &builder);
  return builder.take();
}

json parse_json_object(std::string_view text, const std::string& name, const JsonLimits& limits) {
  json value = parse_json(text, name, limits);
  if (!value.is_object()) throw_invalid(fmt::format("{}: {}, expected a JSON object", name, kind_of(value)));
  return value;
}

std::string text_in(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string kind_of(const json& value) {
  switch (value.type()) {
    case json::value_t::object:
      return "an object";
    case json::value_t::array:
      return "a list";
    case json::value_t::string:
      return "a string";
    case json::value_t::boolean:
      return "true or false";
    case json::value_t::null:
      return "null";
    default:
      return "a number";
  }
}

std::string brief(const json& value) {
  if (value.is_string()) return in_quotes(value.get_ref<const std::string&>());
  const bool short_list = value.is_structured() && value.size() <= 4 &&
                          std::all_of(value.begin(), value.end(), [](const json& item) {
                            return item.is_number() || item.is_boolean() || item.is_null();
                          });
  return value.is_structured() && !short_list ? kind_of(value) : shortened(json_text(value));
}

}  // namespace markeval
