// Normalisers: what happens to the text before it is cut. Described by "normalizer" of tokenizer.json.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "token/aligned_text.hpp"
#include "token/normal_forms.hpp"

namespace markeval::token {

struct JsonPath;

class Normalizer {
 public:
  virtual ~Normalizer() = default;
  /// Rewrites `text` in place.
  virtual void apply(AlignedText& text, NormalizerScratch& scratch) const = 0;
};

/// Throws Error(invalid_input) naming the component where it is unknown or lacks a field.
std::unique_ptr<Normalizer> make_normalizer(const nlohmann::json& component, const JsonPath& where);

/// Keeps the characters `keep` says yes to.
template <typename Keep>
void filter_characters(AlignedText& text, NormalizerScratch& scratch, Keep keep) {
  AlignedText& out = scratch.spare;
  out.clear();
  out.tracked = text.tracked;
  for (std::size_t position = 0; position < text.text.size();) {
    const std::size_t begin = position;
    if (keep(text::decode(text.text, position))) out.append_part(text, begin, position);
  }
  std::swap(text, out);
}

/// Replaces each character by what `put(character, range, out)` appends for it.
template <typename Put>
void map_characters(AlignedText& text, NormalizerScratch& scratch, Put put) {
  AlignedText& out = scratch.spare;
  out.clear();
  out.tracked = text.tracked;
  for (std::size_t position = 0; position < text.text.size();) {
    const SourceRange range = text.source_at(position);
    put(text::decode(text.text, position), range, out);
  }
  std::swap(text, out);
}

/// Lower case of one character, appended.
void append_lower(char32_t character, SourceRange range, AlignedText& out);

}  // namespace markeval::token
