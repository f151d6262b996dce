// The coefficients by name, for rows in groups: one value per group and their mean. The only list to extend.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "meta/kendall_like.hpp"
#include "meta/values.hpp"

namespace markeval::meta {

enum class Coefficient {
  pearson,
  spearman,
  kendall,       ///< tau-b
  kendall_c,     ///< tau-c
  kendall_like,  ///< WMT's, over better/worse pairs of gold scores
  accuracy,      ///< pairwise, ties credited, tie threshold calibrated
};

/// "pearson", "spearman", "kendall", "kendall-c", "kendall-like", "accuracy"
std::string_view name(Coefficient coefficient);
std::vector<std::string> coefficient_names();
/// Throws Error(usage) with the closest name.
Coefficient coefficient_named(std::string_view text);

struct CoefficientOptions {
  double gold_threshold =
      kDirectAssessmentThreshold;         ///< kendall_like: pairs closer than this are not judged
  std::optional<double> tie_threshold{};  ///< accuracy: calibrated where absent
};

struct GroupedCoefficient {
  std::vector<std::optional<double>>
      groups;  ///< absent where not defined: too few rows, a constant side, no pairs
  /// Over the groups that have a value; kendall_like weighs each by its pairs, as WMT does.
  std::optional<double> mean;
  std::size_t averaged = 0;             ///< how many have one
  std::optional<double> tie_threshold;  ///< accuracy: the one used, the same for all groups
};

GroupedCoefficient grouped_coefficient(Coefficient coefficient, std::span<const Pairs> groups,
                                       const CoefficientOptions& options = {});

/// One group.
std::optional<double> evaluate(Coefficient coefficient, std::span<const double> gold,
                               std::span<const double> predicted, const CoefficientOptions& options = {});

}  // namespace markeval::meta
