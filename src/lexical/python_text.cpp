// Lookup in the committed Unicode tables: lower case, white space, categories; and conversion between UTF-8
// and code points.
#include "lexical/python_text.hpp"

#include <algorithm>
#include <array>

#include "lexical/unicode_tables.hpp"
#include "text/utf8.hpp"

namespace markeval::lexical {
namespace {

constexpr char32_t kCapitalSigma = 0x3A3;
constexpr char32_t kCapitalDottedI = 0x130;

template <typename Range>
const Range* find_range(const Range* table, std::size_t count, char32_t code) {
  const Range* found = std::upper_bound(
      table, table + count, code, [](char32_t value, const Range& range) { return value < range.first; });
  if (found == table) return nullptr;
  --found;
  return code <= found->last ? found : nullptr;
}

char32_t lower_one(char32_t code) {
  if (code < 128) return code >= 'A' && code <= 'Z' ? code + 32 : code;
  const LowerRange* range = find_range(lower_ranges, lower_ranges_count, code);
  if (range == nullptr || (code - range->first) % range->step != 0) return code;
  return static_cast<char32_t>(static_cast<std::int32_t>(code) + range->difference);
}

std::uint32_t casing(char32_t code) {
  const CodeRange* range = find_range(casing_ranges, casing_ranges_count, code);
  return range == nullptr ? 0 : range->value;
}

/// Ends the capital sigma at `position` a word? A cased letter before it, none after it; what case ignores is
/// skipped.
bool is_final_sigma(std::u32string_view text, std::size_t position) {
  std::size_t before = position;
  while (before > 0 && casing(text[before - 1]) == 2) --before;
  if (before == 0 || casing(text[before - 1]) != 1) return false;
  std::size_t after = position + 1;
  while (after < text.size() && casing(text[after]) == 2) ++after;
  return after == text.size() || casing(text[after]) != 1;
}

std::array<Category, 128> ascii_categories() {
  std::array<Category, 128> table{};
  for (char32_t code = 0; code < 128; ++code) {
    const CodeRange* range = find_range(category_ranges, category_ranges_count, code);
    table[code] = range == nullptr ? Category::other : static_cast<Category>(range->value);
  }
  return table;
}

}  // namespace

void decode(std::string_view text, std::u32string& codes) {
  codes.resize(text.size());
  std::size_t done = 0;
  while (done < text.size() && static_cast<unsigned char>(text[done]) < 0x80) {
    codes[done] = static_cast<unsigned char>(text[done]);
    ++done;
  }
  if (done == text.size()) return;
  std::string repaired;
  std::string_view rest = text.substr(done);
  if (text::valid_prefix(rest) != rest.size()) {
    text::append_replacing_invalid(rest, repaired);
    rest = repaired;
    codes.resize(done + rest.size());
  }
  char32_t* out = codes.data() + done;
  for (std::size_t position = 0; position < rest.size();) *out++ = text::decode(rest, position);
  codes.resize(static_cast<std::size_t>(out - codes.data()));
}

std::string encode(std::u32string_view codes) {
  std::string result;
  result.reserve(codes.size());
  for (const char32_t code : codes) text::append(result, code);
  return result;
}

std::u32string_view strip_right(std::u32string_view text) {
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::u32string_view strip(std::u32string_view text) {
  text = strip_right(text);
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  return text;
}

void split(std::string_view text, std::vector<std::string_view>& words) {
  words.clear();
  std::size_t start = 0;
  for (std::size_t i = skip_letters(text, 0); i < text.size(); i = skip_letters(text, i)) {
    const std::size_t space = space_bytes(text, i);
    if (space > 0 && i > start) words.push_back(text.substr(start, i - start));
    i += std::max<std::size_t>(space, 1);
    if (space > 0) start = i;
  }
  if (text.size() > start) words.push_back(text.substr(start));
}

std::string_view clean(std::string_view line, bool lowercase, std::string& storage) {
  if (!lowercase && text::valid_prefix(line) == line.size()) return line;
  if (text::is_ascii(line)) {
    storage.resize(line.size());
    std::transform(line.begin(), line.end(), storage.begin(), [](char byte) {
      return static_cast<char>(byte | (static_cast<unsigned char>(byte - 'A') < 26 ? 0x20 : 0));
    });
    return storage;
  }
  std::u32string codes;
  decode(line, codes);
  if (lowercase) lower(codes);
  return storage = encode(codes);
}

void lower(std::u32string& text) {
  const bool has_sigma = text.find(kCapitalSigma) != std::u32string::npos;
  const bool grows = text.find(kCapitalDottedI) != std::u32string::npos;
  if (!has_sigma && !grows) {
    for (char32_t& code : text) code = lower_one(code);
    return;
  }
  std::u32string result;
  result.reserve(text.size() + 8);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == kCapitalDottedI) {
      result += U"i\u0307";
    } else if (text[i] == kCapitalSigma) {
      result += is_final_sigma(text, i) ? U'\u03C2' : U'\u03C3';
    } else {
      result += lower_one(text[i]);
    }
  }
  text = std::move(result);
}

Category category(char32_t code) {
  static const std::array<Category, 128> ascii = ascii_categories();
  if (code < 128) return ascii[code];
  const CodeRange* range = find_range(category_ranges, category_ranges_count, code);
  return range == nullptr ? Category::other : static_cast<Category>(range->value);
}

}  // namespace markeval::lexical
