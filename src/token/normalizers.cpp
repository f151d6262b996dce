// The normalisers of tokenizer.json, one small class each, and the function that makes them from JSON.
#include <fmt/format.h>

#include <vector>

#include "token/bert_normalizer.hpp"
#include "token/byte_alphabet.hpp"
#include "token/json_fields.hpp"
#include "token/normalizer.hpp"
#include "token/precompiled.hpp"
#include "token/text_pattern.hpp"
#include "token/unicode.hpp"

namespace markeval::token {
namespace {

class SequenceNormalizer : public Normalizer {
 public:
  explicit SequenceNormalizer(std::vector<std::unique_ptr<Normalizer>> parts) : parts_(std::move(parts)) {}
  void apply(AlignedText& text, NormalizerScratch& scratch) const override {
    for (const auto& part : parts_) {
      part->apply(text, scratch);
      scratch.require_room(text);
    }
  }

 private:
  std::vector<std::unique_ptr<Normalizer>> parts_;
};

class FormNormalizer : public Normalizer {
 public:
  explicit FormNormalizer(NormalForm form) : form_(form) {}
  void apply(AlignedText& text, NormalizerScratch& scratch) const override {
    apply_normal_form(text, form_, scratch);
  }

 private:
  NormalForm form_;
};

class LowercaseNormalizer : public Normalizer {
 public:
  void apply(AlignedText& text, NormalizerScratch& scratch) const override {
    map_characters(text, scratch, append_lower);
  }
};

class StripAccentsNormalizer : public Normalizer {
 public:
  void apply(AlignedText& text, NormalizerScratch& scratch) const override {
    const UnicodeData& unicode = UnicodeData::get();
    filter_characters(text, scratch, [&](char32_t c) { return !unicode.has(c, kCombiningMark); });
  }
};

// SentencePiece's rules for white space and control characters.
class NmtNormalizer : public Normalizer {
 public:
  void apply(AlignedText& text, NormalizerScratch& scratch) const override {
    filter_characters(text, scratch, [](char32_t c) {
      return !((c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F || c == 0x8F ||
               c == 0x9F);
    });
    map_characters(text, scratch, [](char32_t c, SourceRange range, AlignedText& out) {
      const bool blank = c == 0x09 || c == 0x0A || c == 0x0C || c == 0x0D || c == 0x1680 ||
                         (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 ||
                         c == 0xFEFF || c == 0xFFFD;
      out.append(blank ? U' ' : c, range);
    });
  }
};

class StripNormalizer : public Normalizer {
 public:
  StripNormalizer(bool left, bool right) : left_(left), right_(right) {}
  void apply(AlignedText& text, NormalizerScratch& scratch) const override {
    const UnicodeData& unicode = UnicodeData::get();
    std::size_t begin = 0;
    std::size_t end = 0;  // behind the last character that stays
    bool inside = !left_;
    for (std::size_t position = 0; position < text.text.size();) {
      const std::size_t start = position;
      const bool blank = unicode.has(text::decode(text.text, position), kWhiteSpace);
      if (!inside && !blank) {
        inside = true;
        begin = start;
      }
      if (!blank || !right_) end = position;
    }
    if (!inside) begin = end = 0;
    if (begin == 0 && end == text.text.size()) return;
    scratch.spare.clear();
    scratch.spare.tracked = text.tracked;
    scratch.spare.append_part(text, begin, std::max(begin, end));
    std::swap(text, scratch.spare);
  }

 private:
  bool left_;
  bool right_;
};

class PrependNormalizer : public Normalizer {
 public:
  explicit PrependNormalizer(std::string prefix) : prefix_(std::move(prefix)) {}
  void apply(AlignedText& text, NormalizerScratch& scratch) const override {
    if (text.text.empty()) return;
    scratch.spare.clear();
    scratch.spare.tracked = text.tracked;
    scratch.spare.append(prefix_, text.source_at(0));
    scratch.spare.append_part(text, 0, text.text.size());
    std::swap(text, scratch.spare);
  }

 private:
  std::string prefix_;
};

class ReplaceNormalizer : public Normalizer {
 public:
  ReplaceNormalizer(TextPattern pattern, std::string content)
      : pattern_(std::move(pattern)), content_(std::move(content)) {}
  void apply(AlignedText& text, NormalizerScratch& scratch) const override {
    PatternSearch search(pattern_, text.text);
    auto match = search.next();
    if (!match) return;
    AlignedText& out = scratch.spare;
    out.clear();
    out.tracked = text.tracked;
    std::size_t last = 0;
    for (; match; match = search.next()) {
      out.append_part(text, last, match->begin);
      out.append(content_, text.source_at(match->end - 1));
      scratch.require_room(out);
      last = match->end;
    }
    out.append_part(text, last, text.text.size());
    std::swap(text, out);
  }

 private:
  TextPattern pattern_;
  std::string content_;
};

class ByteLevelNormalizer : public Normalizer {
 public:
  void apply(AlignedText& text, NormalizerScratch& scratch) const override {
    scratch.spare.clear();
    scratch.spare.tracked = text.tracked;
    for (std::size_t i = 0; i < text.text.size(); ++i) {
      scratch.spare.append(byte_characters()[static_cast<unsigned char>(text.text[i])], text.source_at(i));
    }
    std::swap(text, scratch.spare);
  }
};

std::unique_ptr<Normalizer> make_bert(const json& component, const JsonPath& where) {
  BertNormalizer::Options options;
  options.clean_text = read_bool(component, "clean_text", std::nullopt, where);
  options.handle_chinese_chars = read_bool(component, "handle_chinese_chars", std::nullopt, where);
  options.lowercase = read_bool(component, "lowercase", std::nullopt, where);
  options.strip_accents = read_bool(component, "strip_accents", options.lowercase, where);
  return std::make_unique<BertNormalizer>(options);
}

}  // namespace

void append_lower(char32_t character, SourceRange range, AlignedText& out) {
  if (character == 0x130) {  // the one letter whose lower case is two characters
    out.append("i\u0307", range);
  } else {
    out.append(UnicodeData::get().lower(character), range);
  }
}

std::unique_ptr<Normalizer> make_normalizer(const json& component, const JsonPath& where) {
  const std::string type = read_type(component, where);
  const JsonPath inside = where / type;
  if (type == "BertNormalizer" || type == "Bert") return make_bert(component, inside);
  if (type == "Sequence") {
    std::vector<std::unique_ptr<Normalizer>> parts;
    for (const json& part : require_array(component, "normalizers", inside))
      parts.push_back(make_normalizer(part, inside));
    return std::make_unique<SequenceNormalizer>(std::move(parts));
  }
  if (type == "NFC") return std::make_unique<FormNormalizer>(NormalForm::nfc);
  if (type == "NFD") return std::make_unique<FormNormalizer>(NormalForm::nfd);
  if (type == "NFKC") return std::make_unique<FormNormalizer>(NormalForm::nfkc);
  if (type == "NFKD") return std::make_unique<FormNormalizer>(NormalForm::nfkd);
  if (type == "Lowercase") return std::make_unique<LowercaseNormalizer>();
  if (type == "StripAccents") return std::make_unique<StripAccentsNormalizer>();
  if (type == "Nmt") return std::make_unique<NmtNormalizer>();
  if (type == "ByteLevel") return std::make_unique<ByteLevelNormalizer>();
  if (type == "Strip") {
    return std::make_unique<StripNormalizer>(read_bool(component, "strip_left", std::nullopt, inside),
                                             read_bool(component, "strip_right", std::nullopt, inside));
  }
  if (type == "Prepend") {
    return std::make_unique<PrependNormalizer>(read_string(component, "prepend", std::nullopt, inside));
  }
  if (type == "Replace") {
    return std::make_unique<ReplaceNormalizer>(
        TextPattern(require_field(component, "pattern", inside), inside),
        read_string(component, "content", std::nullopt, inside));
  }
  if (type == "Precompiled") {
    return std::make_unique<PrecompiledNormalizer>(
        read_string(component, "precompiled_charsmap", std::nullopt, inside), inside);
  }
  fail_unknown_type(type,
                    {"BertNormalizer", "Sequence", "NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents",
                     "Strip", "Prepend", "Replace", "Nmt", "Precompiled", "ByteLevel"},
                    where);
}

}  // namespace markeval::token
