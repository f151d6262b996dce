// The table of names, the call behind each name, and the mean over groups.
#include "meta/coefficient.hpp"

#include <utility>

#include "base/cancellation.hpp"
#include "meta/correlation.hpp"
#include "meta/kendall.hpp"
#include "meta/pairwise_accuracy.hpp"
#include "meta/word_table.hpp"

namespace markeval::meta {
namespace {

constexpr WordTable<Coefficient, 6> kCoefficientNames{{
    {Coefficient::pearson, "pearson"},
    {Coefficient::spearman, "spearman"},
    {Coefficient::kendall, "kendall"},
    {Coefficient::kendall_c, "kendall-c"},
    {Coefficient::kendall_like, "kendall-like"},
    {Coefficient::accuracy, "accuracy"},
}};

}  // namespace

std::string_view name(Coefficient coefficient) {
  return word_of(kCoefficientNames, coefficient);
}

std::vector<std::string> coefficient_names() {
  return words_of(kCoefficientNames);
}

Coefficient coefficient_named(std::string_view text) {
  return value_named(kCoefficientNames, "coefficient", text);
}

std::optional<double> evaluate(Coefficient coefficient, std::span<const double> gold,
                               std::span<const double> predicted, const CoefficientOptions& options) {
  check_cancelled();
  switch (coefficient) {
    case Coefficient::pearson:
      return pearson(gold, predicted);
    case Coefficient::spearman:
      return spearman(gold, predicted);
    case Coefficient::kendall:
      return kendall_tau_b(gold, predicted);
    case Coefficient::kendall_c:
      return kendall_tau_c(gold, predicted);
    case Coefficient::kendall_like:
      return count_better_worse_rows(gold, predicted, options.gold_threshold).coefficient();
    case Coefficient::accuracy: {
      if (options.tie_threshold) {
        return pairwise_accuracy(count_pairs_with_threshold(gold, predicted, *options.tie_threshold));
      }
      const Pairs group{{gold.begin(), gold.end()}, {predicted.begin(), predicted.end()}, 0};
      return calibrate_accuracy({&group, 1}).mean;
    }
  }
  return std::nullopt;
}

GroupedCoefficient grouped_coefficient(Coefficient coefficient, std::span<const Pairs> groups,
                                       const CoefficientOptions& options) {
  GroupedCoefficient result;
  if (coefficient == Coefficient::accuracy && !options.tie_threshold) {
    CalibratedAccuracy calibrated = calibrate_accuracy(groups);
    result.groups = std::move(calibrated.groups);
    result.mean = calibrated.mean;
    result.tie_threshold = calibrated.tie_threshold;
    for (const auto& value : result.groups) result.averaged += value ? 1u : 0u;
    return result;
  }
  if (coefficient == Coefficient::accuracy) result.tie_threshold = options.tie_threshold;
  double sum = 0, weights = 0;
  for (const Pairs& group : groups) {
    check_cancelled();
    double weight = 1;
    std::optional<double> value;
    if (coefficient == Coefficient::kendall_like) {
      const BetterWorseCounts counts =
          count_better_worse_rows(group.gold, group.predicted, options.gold_threshold);
      value = counts.coefficient();
      weight = static_cast<double>(counts.concordant + counts.discordant);
    } else {
      value = evaluate(coefficient, group.gold, group.predicted, options);
    }
    result.groups.push_back(value);
    if (!value) continue;
    ++result.averaged;
    sum += weight * *value;
    weights += weight;
  }
  if (result.averaged > 0) result.mean = sum / weights;
  return result;
}

}  // namespace markeval::meta
