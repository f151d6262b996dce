// The rules 13a, intl, char, zh and none. 13a has a fast path for lines that it only splits.
#include "lexical/bleu_tokenizer.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/cancellation.hpp"
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
  check_cancelled();
  separate_western_punctuation(line, spare);
}

enum class ByteKind : std::uint8_t { letter, space, space_start, symbol, stop, hyphen, changed };

constexpr std::array<ByteKind, 256> kByteKinds = [] {
  std::array<ByteKind, 256> kinds{};
  for (std::size_t byte = 0; byte < 128; ++byte) {
    if (is_western_symbol(static_cast<char32_t>(byte))) kinds[byte] = ByteKind::symbol;
    if (is_space(static_cast<char32_t>(byte))) kinds[byte] = ByteKind::space;
  }
  for (const std::size_t byte : {u8'.', u8','}) kinds[byte] = ByteKind::stop;
  kinds['-'] = ByteKind::hyphen;
  for (const std::size_t byte : {u8'&', u8'<', u8'\n'}) kinds[byte] = ByteKind::changed;
  for (const std::size_t byte : {0xC2U, 0xE1U, 0xE2U, 0xE3U}) kinds[byte] = ByteKind::space_start;
  return kinds;
}();

/// 13a for lines in which it changes no character, only parts them: in one pass, the words point into `line`.
/// False where there may be more to do. The tests compare it with the steps of the public tool.
bool split_mteval(std::string_view line, std::vector<std::string_view>& words) {
  words.clear();
  std::size_t start = 0;                            // of the word that is being read
  std::size_t after_pair = std::string_view::npos;  // behind a stop that made a pair with what is before it
  const auto digit_at = [&](std::size_t at) {       // -1 is none
    return at < line.size() && is_ascii_digit(static_cast<unsigned char>(line[at]));
  };
  for (std::size_t i = skip_letters(line, 0); i < line.size(); i = skip_letters(line, i + 1)) {
    std::size_t space = 0;  // bytes that part two words
    bool alone = false;     // or is the byte here a word?
    switch (kByteKinds[static_cast<unsigned char>(line[i])]) {
      case ByteKind::letter:
        continue;
      case ByteKind::space:
        space = 1;
        break;
      case ByteKind::space_start:
        space = space_bytes(line, i);
        break;
      case ByteKind::symbol:
        alone = true;
        break;
      case ByteKind::stop: {
        const bool pair = !digit_at(i - 1) && after_pair != i;  // pairs of the first step do not overlap
        if (pair) after_pair = i + 1;
        alone = pair || !digit_at(i + 1);
        break;
      }
      case ByteKind::hyphen:
        alone = digit_at(i - 1);
        break;
      case ByteKind::changed:
        return false;
    }
    if (space == 0 && !alone) continue;
    if (i > start) words.push_back(line.substr(start, i - start));
    if (alone) words.push_back(line.substr(i, 1));
    start = i + std::max<std::size_t>(space, 1);
    i = start - 1;
  }
  if (line.size() > start) words.push_back(line.substr(start));
  return true;
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

void BleuTokenizer::tokenize(std::string_view line, std::string& storage,
                             std::vector<std::string_view>& words) {
  check_cancelled();
  line = clean(line, lowercase_, storage);
  if (tokenization_ == BleuTokenization::none) return split(line, words);
  if (tokenization_ == BleuTokenization::mteval_13a && split_mteval(line, words)) return;
  check_cancelled();
  decode(line, line_);
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
      check_cancelled();
      separate_pairs(spare_, line_, Spacing::before_and_between, punctuation, no_number);
      check_cancelled();
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
  check_cancelled();
  storage = encode(line_);
  check_cancelled();
  split(storage, words);
}

}  // namespace markeval::lexical
