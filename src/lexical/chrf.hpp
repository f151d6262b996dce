// chrF (Popovic 2015) and chrF++ (Popovic 2017) as sacrebleu 2.6.0 computes them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "lexical/python_number.hpp"
#include "lexical/segment_statistics.hpp"

namespace markeval::lexical {

struct ChrfOptions {
  std::size_t char_order = 6;
  std::size_t word_order = 0;  ///< 2 makes it chrF++
  std::size_t beta = 2;        ///< recall counts beta times as much as precision
  bool lowercase = false;
  bool whitespace = false;  ///< keep white space in character n-grams
  bool eps_smoothing =
      false;  ///< mean of F over all orders with 1e-16 for empty ones, instead of the effective order
};

/// Per segment and order, characters first: n-grams of the system, of the reference, and matches; of the
/// reference with the best score. Where a reference has no n-gram of an order, the system's do not count
/// either.
std::size_t chrf_columns(const ChrfOptions& options);
std::vector<SegmentStatistics> chrf_statistics(const ScoredTexts& corpus, const ChrfOptions& options,
                                               const RunContext& context);

/// 0 .. 100, from summed statistics.
double chrf_score(std::span<const double> statistics, const ChrfOptions& options);
/// The same in the arithmetic the numbers carry, see lexical/python_number.hpp.
PythonNumber chrf_resampled_score(std::span<const PythonNumber> statistics, const ChrfOptions& options);

/// "chrF2", "chrF2++".
std::string chrf_name(const ChrfOptions& options);
/// "case:mixed|eff:yes|nc:6|nw:0|space:no"
std::string chrf_signature(const ChrfOptions& options);

}  // namespace markeval::lexical
