// NFC, NFD, NFKC and NFKD (UAX 15) with alignment. Used by the normalisers.
#pragma once

#include <vector>

#include "token/aligned_text.hpp"

namespace markeval::token {

enum class NormalForm { nfc, nfd, nfkc, nfkd };

/// Buffers a normaliser needs while it works; kept between calls so that nothing is allocated per text.
struct NormalizerScratch {
  AlignedText spare;
  std::vector<Change> changes;
  std::vector<Change> composed;
  std::size_t most_bytes = most_text_bytes(0);  ///< of what becomes of a text

  /// Throws Error(invalid_input) where a text has become longer than that, Error(cancelled) on request.
  void require_room(const AlignedText& text) const { require_text_room(text.text.size(), most_bytes); }
};

/// Rewrites `text` by `changes`, the first `removed` characters of it being gone.
void apply_changes(AlignedText& text, const std::vector<Change>& changes, std::size_t removed,
                   AlignedText& spare);

void apply_normal_form(AlignedText& text, NormalForm form, NormalizerScratch& scratch);

}  // namespace markeval::token
