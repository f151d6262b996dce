// TER (Snover et al. 2006): word edits and shifts of phrases per reference word, as sacrebleu 2.6.0 computes
// it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lexical/python_number.hpp"
#include "lexical/segment_statistics.hpp"
#include "lexical/ter_tokenizer.hpp"

namespace markeval::lexical {

constexpr std::size_t kTerColumns = 2;

/// Per segment: the fewest edits over the references, the mean length of the references.
std::vector<SegmentStatistics> ter_statistics(const ScoredTexts& corpus, const TerOptions& options,
                                              const RunContext& context);

/// Edits per 100 reference words, from summed statistics; 100 where only the references are empty.
double ter_score(std::span<const double> statistics);
/// The same in the arithmetic the numbers carry, see lexical/python_number.hpp.
PythonNumber ter_resampled_score(std::span<const PythonNumber> statistics);

/// "case:lc|tok:tercom|norm:no|punct:yes|asian:no"
std::string ter_signature(const TerOptions& options);

}  // namespace markeval::lexical
