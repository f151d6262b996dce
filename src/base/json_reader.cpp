#include "base/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "base/json_text.hpp"
#include "base/limits.hpp"
#include "base/quotation.hpp"

namespace markeval {
namespace {

using nlohmann::json;

/// "config.json: line 3", or of a text of one line "config.json".
std::string place_of(std::string_view text, std::size_t position, const std::string& name) {
  const std::string_view last = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  if (last.find('\n') == std::string_view::npos) return name;
  const std::string_view before = text.substr(0, std::min(position, text.size()));
  return fmt::format("{}: line {}", name, 1 + std::count(before.begin(), before.end(), '\n'));
}

/// Brackets, before anything is built of them. Where the text is no JSON, the parser says so. Gives back how
/// many keys there are: the colons outside of strings.
std::size_t check_limits(std::string_view text, const std::string& name, const JsonLimits& limits) {
  if (text.size() > limit_of(Limit::json_bytes))
    throw_beyond(Limit::json_bytes, fmt::format("{}: {} bytes of JSON", name, text.size()));
  if (text.size() > limits.bytes)
    throw_invalid(fmt::format("{}: {} bytes of JSON, expected at most {}", name, text.size(), limits.bytes));
  const std::uint64_t most_depth = limit_of(Limit::json_depth);
  std::size_t depth = 0, keys = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' || text[i] == '{') {
      if (++depth > most_depth)
        throw_beyond(Limit::json_depth, fmt::format("{}: {} levels of JSON", place_of(text, i, name), depth));
    } else if (text[i] == ']' || text[i] == '}') {
      if (depth > 0) --depth;
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
  return keys;
}

/// The keys of all objects of a value together. The depth is bounded.
std::size_t count_keys(const json& value) {
  if (!value.is_structured()) return 0;
  std::size_t keys = value.is_object() ? value.size() : 0;
  for (const json& item : value) keys += count_keys(item);
  return keys;
}

/// Goes through a text that is known to be JSON, and stops at the first key that its object has already.
class RepeatedKey : public nlohmann::json_sax<json> {
 public:
  const std::string& key() const { return key_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override {
    open_.emplace_back();
    return true;
  }
  bool end_object() override {
    open_.pop_back();
    return true;
  }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool key(string_t& name) override {
    if (open_.back().insert(name).second) return true;
    key_ = name;
    return false;
  }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override { return false; }

 private:
  std::vector<std::set<std::string>> open_;
  std::string key_;
};

/// The parser keeps the last of several equal keys, others keep the first: what such a text says is unsure.
void require_keys_once(std::string_view text, std::size_t keys, const json& value, const std::string& name) {
  if (count_keys(value) == keys) return;
  RepeatedKey repeated;
  json::sax_parse(text, &repeated);
  throw_invalid(fmt::format("{}: the key {} comes twice in one object", name, in_quotes(repeated.key())));
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

}  // namespace

json parse_json(std::string_view text, const std::string& name, const JsonLimits& limits) {
  const std::size_t keys = check_limits(text, name, limits);
  json value;
  try {
    value = json::parse(text);
  } catch (const json::parse_error& error) {
    throw_invalid(fmt::format("{}: not JSON: {}", place_of(text, error.byte, name), reason_of(error.what())));
  } catch (const json::exception& error) {  // a number no double can hold
    throw_invalid(fmt::format("{}: not JSON: {}", name, reason_of(error.what())));
  }
  require_keys_once(text, keys, value, name);
  return value;
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
