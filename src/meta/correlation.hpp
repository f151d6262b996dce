// Pearson's and Spearman's correlation coefficients. A coefficient that is not defined (fewer than two rows,
// a constant side) is absent, never NaN.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace markeval::meta {

/// Throws Error(invalid_input) for lengths that differ and for values that are not finite; so do all below.
std::optional<double> pearson(std::span<const double> gold, std::span<const double> predicted);

/// Pearson of the mean ranks.
std::optional<double> spearman(std::span<const double> gold, std::span<const double> predicted);

/// Spearman where only the order of the values is known (see DenseRanks); keeps its memory between calls, so
/// resampling does not allocate. Needs time in proportion to rows + classes.
class SpearmanOfClasses {
 public:
  std::optional<double> operator()(std::span<const std::uint32_t> gold, std::uint32_t gold_classes,
                                   std::span<const std::uint32_t> predicted, std::uint32_t predicted_classes);

 private:
  std::vector<double> gold_ranks_, predicted_ranks_;
};

}  // namespace markeval::meta
