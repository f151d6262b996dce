// The character classes and the order in which the normaliser's rules apply.
#include "lexical/ter_tokenizer.hpp"

#include "lexical/python_text.hpp"
#include "lexical/rewriting.hpp"

namespace markeval::lexical {
namespace {

constexpr bool within(char32_t code, char32_t first, char32_t last) {
  return code >= first && code <= last;
}

constexpr bool is_asian_punctuation(char32_t code) {
  return code == 0x3001 || code == 0x3002 || within(code, 0x3008, 0x3011) || within(code, 0x3014, 0x301F) ||
         within(code, 0xFF61, 0xFF65) || code == 0x30FB;
}

constexpr bool is_full_width_punctuation(char32_t code) {
  return code == 0xFF0E || code == 0xFF0C || code == 0xFF1F || code == 0xFF1A || code == 0xFF1B ||
         code == 0xFF01 || code == 0xFF02 || code == 0xFF08 || code == 0xFF09;
}

/// Ideographs, strokes, radicals, compatibility forms, enclosed letters (to U+3F22, as in sacrebleu),
/// punctuation. The rules for kana look for a text that starts with one, but by then it starts with a space:
/// they never apply.
constexpr bool stands_alone(char32_t code) {
  return within(code, 0x4E00, 0x9FFF) || within(code, 0x3400, 0x4DBF) || within(code, 0x31C0, 0x31EF) ||
         within(code, 0x2E80, 0x2EFF) || within(code, 0x3200, 0x3F22) || within(code, 0xF900, 0xFAFF) ||
         within(code, 0xFE30, 0xFE4F) || is_asian_punctuation(code) || is_full_width_punctuation(code);
}

constexpr bool is_removed_punctuation(char32_t code) {
  return code == '.' || code == ',' || code == '?' || code == ':' || code == ';' || code == '!' ||
         code == '"' || code == '(' || code == ')';
}

}  // namespace

void TerTokenizer::rewrite() {
  line_.resize(strip_right(line_).size());
  if (options_.normalized && !line_.empty()) {
    replace_all(line_, U"\n-", U"");
    replace_all(line_, U"\n", U" ");
    unescape_entities(line_);
    line_.insert(line_.begin(), U' ');
    line_.push_back(U' ');
    isolate(line_, spare_, is_western_symbol);
    line_.swap(spare_);
    replace_all(line_, U"'s ", U" 's ");
    separate_western_punctuation(line_, spare_);
    if (options_.asian_support) {
      isolate(line_, spare_, stands_alone);
      line_.swap(spare_);
    }
  }
  if (options_.no_punct) {
    std::erase_if(line_, [&](char32_t code) {
      return is_removed_punctuation(code) ||
             (options_.asian_support && (is_asian_punctuation(code) || is_full_width_punctuation(code)));
    });
  }
}

void TerTokenizer::tokenize(std::string_view line, std::string& storage,
                            std::vector<std::string_view>& words) {
  line = clean(line, !options_.case_sensitive, storage);
  if (options_.normalized || options_.no_punct) {
    decode(line, line_);
    rewrite();
    line = storage = encode(line_);
  }
  split(line, words);
}

void TerTokenizer::tokenize_reference(std::string_view line, std::string& storage,
                                      std::vector<std::string_view>& words) {
  tokenize(line, storage, words);
  if (!options_.normalized) return;
  std::string joined;
  for (const auto word : words) joined.append(joined.empty() ? 0 : 1, ' ').append(word);
  tokenize(joined, storage, words);
}

}  // namespace markeval::lexical
