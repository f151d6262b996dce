// Is one metric better than another? Tests of the difference of two coefficients over the same rows, for all
// pairs of columns of a table, with the p-values adjusted for their number.
//
// Resample r draws from RandomStream(seed, r) and shares its draws between all pairs, so a result is the same
// for any number of threads, and adding a column without missing values does not change the other pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/run_context.hpp"
#include "meta/coefficient.hpp"
#include "meta/multiple_comparison.hpp"
#include "meta/score_table.hpp"

namespace markeval::meta {

enum class MetricTest {
  williams,   ///< meta/williams.hpp; one test per group, for pearson and spearman
  bootstrap,  ///< rows drawn with replacement inside each group; percentile interval and p-value
  perm_both,  ///< both metrics' standardised scores exchanged row by row (Deutsch, Dror and Roth 2021,
              ///< PERM-BOTH)
};

/// "williams", "bootstrap", "perm-both"
std::string_view name(MetricTest test);
/// Throws Error(usage) with the closest name.
MetricTest metric_test_named(std::string_view text);

struct MetricTestOptions {
  std::size_t resamples = 10'000;
  std::uint64_t seed = 12345;
  double interval = 0.95;
  Correction correction = Correction::holm;
  CoefficientOptions coefficient;
};

/// A pair of columns, `first` before `second` in the table. Whatever cannot be computed is absent.
struct MetricDifference {
  std::size_t first = 0, second = 0;
  std::string group;  ///< the group tested, "mean" for the mean over groups
  std::size_t n = 0;  ///< rows complete for gold and both
  std::optional<double> first_value, second_value,
      difference;                    ///< coefficients over those rows; first - second
  std::optional<double> p_value;     ///< two-sided
  std::optional<double> p_greater;   ///< one-sided: that first is no better than second
  std::optional<double> p_adjusted;  ///< p_value, for all pairs of the same group
  std::optional<Interval> interval;  ///< of the difference; bootstrap
  std::size_t resamples = 0;         ///< those that had a value for both, so that counted
};

/// p-values of resampling tests are (hits + 1) / (resamples + 1); the bootstrap's two-sided one is twice the
/// smaller tail, at most 1. Throws Error(usage) for Williams with another coefficient than pearson or
/// spearman, and for no resamples; Error(invalid_input) for fewer than two columns.
std::vector<MetricDifference> compare_metrics(const ScoreTable& table, Coefficient coefficient,
                                              MetricTest test, const MetricTestOptions& options,
                                              const RunContext& context);

}  // namespace markeval::meta
