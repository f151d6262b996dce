#include "lexical/bleu_tokenizer.hpp"

#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/suggestion.hpp"
#include "lexical/python_text.hpp"
#include "lexical/rewriting.hpp"

namespace markeval::lexical {
namespace {

constexpr std::array<std::pair<BleuTokenization, std::string_view>, 5> kNames = {{
    {BleuTokenization::mteval_13a, "13a"},
    {BleuTokenization::international, "intl"},
    {BleuTokenization::character, "char"},
    {BleuTokenization::chinese, "zh"},
    {BleuTokenization::none, "none"},
}};

/// sacrebleu's list of ranges. Two of them are meant for planes beyond the first but written with four-digit
/// escapes
/// ('\u20000' is U+2000 and a zero), which makes them the ranges given here.
bool is_chinese(char32_t code) {
  static constexpr std::pair<char32_t, char32_t> kRanges[] = {
      {0x2001, 0x2A6D}, {0x2E80, 0x2EFF}, {0x2F00, 0x2FDF}, {0x2FF0, 0x2FFF}, {0x3000, 0x303F},
      {0x3100, 0x312F}, {0x31A0, 0x31BF}, {0x31C0, 0x31EF}, {0x3200, 0x33FF}, {0x3400, 0x4DB5},
      {0x4E00, 0x9FBB}, {0xF900, 0xFA2D}, {0xFA30, 0xFA6A}, {0xFA70, 0xFAD9}, {0xFE10, 0xFE1F},
      {0xFE30, 0xFE4F}, {0xFF00, 0xFFEF},
  };
  if (code < 0x2001) return false;
  for (const auto& [first, last] : kRanges) {
    if (code >= first && code <= last) return true;
  }
  return false;
}

void split_western(std::u32string& line, std::u32string& spare) {
  isolate(line, spare, is_western_symbol);
  line.swap(spare);
  separate_western_punctuation(line, spare);
}

}  // namespace

std::string_view name_of(BleuTokenization tokenization) {
  for (const auto& [value, name] : kNames) {
    if (value == tokenization) return name;
  }
  return "";
}

BleuTokenization bleu_tokenization(std::string_view name) {
  std::vector<std::string> known;
  for (const auto& [value, its_name] : kNames) {
    if (its_name == name) return value;
    known.emplace_back(its_name);
  }
  throw_usage("unknown tokenizer '" + std::string(name) + "'" + suggestion(name, known));
}

void BleuTokenizer::tokenize(std::string_view line, std::u32string& storage,
                             std::vector<std::u32string_view>& words) {
  decode(line, line_);
  if (lowercase_) lower(line_);
  line_.resize(strip_right(line_).size());
  switch (tokenization_) {
    case BleuTokenization::mteval_13a:
      replace_all(line_, U"<skipped>", U"");
      replace_all(line_, U"-\n", U"");
      replace_all(line_, U"\n", U" ");
      unescape_entities(line_);
      line_.insert(line_.begin(), U' ');
      line_.push_back(U' ');
      split_western(line_, spare_);
      break;
    case BleuTokenization::chinese:
      line_ = strip(line_);
      isolate(line_, spare_, is_chinese);
      line_.swap(spare_);
      split_western(line_, spare_);
      break;
    case BleuTokenization::international: {
      const auto punctuation = [](char32_t code) { return category(code) == Category::punctuation; };
      const auto no_number = [](char32_t code) { return category(code) != Category::number; };
      separate_pairs(line_, spare_, Spacing::between_and_after, no_number, punctuation);
      separate_pairs(spare_, line_, Spacing::before_and_between, punctuation, no_number);
      isolate(line_, spare_, [](char32_t code) { return category(code) == Category::symbol; });
      line_.swap(spare_);
      break;
    }
    case BleuTokenization::character:
      isolate(line_, spare_, [](char32_t) { return true; });
      line_.swap(spare_);
      break;
    case BleuTokenization::none:
      break;
  }
  storage.swap(line_);
  split(storage, words);
}

}  // namespace markeval::lexical
