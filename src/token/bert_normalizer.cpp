// One pass for usual texts, with a table for ASCII; separate steps where combining marks must be reordered.
#include "token/bert_normalizer.hpp"

#include <array>

#include "token/unicode.hpp"

namespace markeval::token {
namespace {

constexpr char kRemoved = '\x7F';  // DEL itself is always removed where anything is

bool is_kept_control(char32_t c) {
  return c == '\t' || c == '\n' || c == '\r';
}

}  // namespace

bool BertNormalizer::is_removed(char32_t c) const {
  return c == 0 || c == 0xFFFD || (!is_kept_control(c) && UnicodeData::get().has(c, kOther));
}

BertNormalizer::BertNormalizer(Options options) : options_(options), ascii_() {
  const UnicodeData& unicode = UnicodeData::get();
  for (char32_t c = 0; c < 128; ++c) {
    char32_t result = c;
    if (options_.clean_text) {
      if (is_removed(c)) {
        result = static_cast<char32_t>(kRemoved);
      } else if (unicode.has(c, kWhiteSpace)) {
        result = ' ';
      }
    }
    if (options_.lowercase) result = unicode.lower(result);
    ascii_[c] = static_cast<char>(result);
  }
}

void BertNormalizer::apply(AlignedText& text, NormalizerScratch& scratch) const {
  scratch.spare.clear();
  scratch.spare.tracked = text.tracked;
  if (apply_in_one_pass(text, scratch.spare)) {
    std::swap(text, scratch.spare);
  } else {
    apply_step_by_step(text, scratch);
  }
}

// Character by character; false where marks would have to change places, which is rare.
bool BertNormalizer::apply_in_one_pass(const AlignedText& text, AlignedText& out) const {
  const std::string& in = text.text;
  out.text.reserve(in.size() + in.size() / 2);
  for (std::size_t position = 0; position < in.size();) {
    if ((in[position] & 0x80) == 0) {
      do {
        const char result = ascii_[static_cast<unsigned char>(in[position])];
        if (result != kRemoved || !options_.clean_text) out.text.push_back(result);
        if (out.tracked && out.source.size() < out.text.size()) out.source.push_back(text.source[position]);
        ++position;
      } while (position < in.size() && (in[position] & 0x80) == 0);
      continue;
    }
    const SourceRange range = text.source_at(position);
    const char32_t character = text::decode(in, position);
    if (options_.clean_text) {
      if (is_removed(character)) continue;
      if (UnicodeData::get().has(character, kWhiteSpace)) {
        out.append(" ", range);
        continue;
      }
    }
    const bool apart = options_.handle_chinese_chars && is_bert_ideograph(character);
    if (apart) out.append(" ", range);
    if (!append_character(character, range, out)) return false;
    if (apart) out.append(" ", range);
  }
  return true;
}

bool BertNormalizer::append_character(char32_t character, SourceRange range, AlignedText& out) const {
  const UnicodeData& unicode = UnicodeData::get();
  std::array<char32_t, kMaxDecomposition> parts;
  parts[0] = character;
  std::size_t count = 1;
  if (options_.strip_accents &&
      (unicode.has(character, kDecomposes) || (character >= 0xAC00 && character <= 0xD7A3))) {
    count = decompose(character, false, parts);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (options_.strip_accents) {
      const std::uint16_t properties = unicode[parts[i]].properties;
      if ((properties & kNonspacingMark) != 0) continue;
      if ((properties & kReorders) != 0) return false;
    }
    if (options_.lowercase) {
      append_lower(parts[i], range, out);
    } else {
      out.append(parts[i], range);
    }
  }
  return true;
}

void BertNormalizer::apply_step_by_step(AlignedText& text, NormalizerScratch& scratch) const {
  const UnicodeData& unicode = UnicodeData::get();
  if (options_.clean_text) {
    filter_characters(text, scratch, [&](char32_t c) { return !is_removed(c); });
    map_characters(text, scratch, [&](char32_t c, SourceRange range, AlignedText& out) {
      out.append(unicode.has(c, kWhiteSpace) ? U' ' : c, range);
    });
  }
  if (options_.handle_chinese_chars) {
    map_characters(text, scratch, [](char32_t c, SourceRange range, AlignedText& out) {
      const bool apart = is_bert_ideograph(c);
      if (apart) out.append(" ", range);
      out.append(c, range);
      if (apart) out.append(" ", range);
    });
  }
  if (options_.strip_accents) {
    apply_normal_form(text, NormalForm::nfd, scratch);
    filter_characters(text, scratch, [&](char32_t c) { return !unicode.has(c, kNonspacingMark); });
  }
  if (options_.lowercase) map_characters(text, scratch, append_lower);
}

}  // namespace markeval::token
