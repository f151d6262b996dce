// BERT's cleaning: control characters out, white space to blanks, ideographs apart, accents off, lower case.
#pragma once

#include "token/normalizer.hpp"

namespace markeval::token {

class BertNormalizer : public Normalizer {
 public:
  struct Options {
    bool clean_text = true;
    bool handle_chinese_chars = true;
    bool strip_accents = true;
    bool lowercase = true;
  };
  explicit BertNormalizer(Options options);
  void apply(AlignedText& text, NormalizerScratch& scratch) const override;

 private:
  bool apply_in_one_pass(const AlignedText& text, AlignedText& out) const;
  bool append_character(char32_t character, SourceRange range, AlignedText& out) const;
  void apply_step_by_step(AlignedText& text, NormalizerScratch& scratch) const;
  bool is_removed(char32_t character) const;
  Options options_;
  char ascii_[128];  // what an ASCII character becomes; kRemoved: nothing
};

}  // namespace markeval::token
