// Error rates by edit distance: WER and CER as jiwer 4 has them, PER (Tillmann et al. 1997) and CDER (Leusch
// et al. 2006). Used by metric/lexical_edit_rates.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lexical/segment_statistics.hpp"

namespace markeval::lexical {

enum class EditRate {
  words,       ///< WER: insertions, deletions and substitutions of words
  characters,  ///< CER: of characters, blanks included
  bags,        ///< PER: words without their order
  blocks,      ///< CDER: a jump to any place of the candidate costs one edit
};

struct EditRateOptions {
  EditRate rate = EditRate::words;
  bool lowercase = false;
};

/// Edits, reference length, substitutions, deletions, insertions; PER and CDER have the first two only.
constexpr std::size_t kEditColumns = 5;

/// Per segment the fewest edits over the references, and the mean length of the references. Throws
/// Error(invalid_input) for texts too long to compare.
std::vector<SegmentStatistics> edit_statistics(const ScoredTexts& corpus, const EditRateOptions& options,
                                               const RunContext& context);

/// The words of jiwer: two blanks or more are one, those at the ends go, the rest is split at U+0020.
///   " a  b\tc " -> "a", "b\tc"
std::vector<std::u32string_view> edit_words(std::u32string_view text);

}  // namespace markeval::lexical
