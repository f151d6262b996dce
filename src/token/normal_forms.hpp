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
};

/// Rewrites `text` by `changes`, the first `removed` characters of it being gone.
void apply_changes(AlignedText& text, const std::vector<Change>& changes, std::size_t removed,
                   AlignedText& spare);

void apply_normal_form(AlignedText& text, NormalForm form, NormalizerScratch& scratch);

}  // namespace markeval::token
