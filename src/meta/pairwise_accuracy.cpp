// All pairs are sorted by the difference of their predicted values; one pass over them finds the best tie
// threshold.
#include "meta/pairwise_accuracy.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "base/cancellation.hpp"
#include "base/error.hpp"
#include "base/sorting.hpp"

namespace markeval::meta {
namespace {

/// A pair whose credit changes once its predicted values count as tied.
struct ThresholdStep {
  double difference;
  std::uint32_t group;
  std::int32_t gain;  // +1: people tie it too; -1: it was in the right order
};

bool same_order(double gold, double predicted) {
  return (gold < 0) == (predicted < 0);
}

/// A running sum that does not drift over millions of small steps (Neumaier 1974).
class CompensatedSum {
 public:
  void add(double term) {
    const double next = sum_ + term;
    rest_ += std::fabs(sum_) >= std::fabs(term) ? (sum_ - next) + term : (term - next) + sum_;
    sum_ = next;
  }
  double value() const { return sum_ + rest_; }

 private:
  double sum_ = 0, rest_ = 0;
};

std::vector<ThresholdStep> list_changes(std::span<const Pairs> groups) {
  std::vector<ThresholdStep> changes;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Pairs& rows = groups[g];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      check_cancelled();
      for (std::size_t j = i + 1; j < rows.size(); ++j) {
        const double gold = rows.gold[i] - rows.gold[j], predicted = rows.predicted[i] - rows.predicted[j];
        if (predicted == 0 || (gold != 0 && !same_order(gold, predicted))) continue;
        changes.push_back({std::fabs(predicted), static_cast<std::uint32_t>(g), gold == 0 ? 1 : -1});
      }
    }
  }
  sort_in_steps(changes, check_cancelled,
                [](const ThresholdStep& a, const ThresholdStep& b) { return a.difference < b.difference; });
  return changes;
}

}  // namespace

std::optional<double> pairwise_accuracy(const PairCounts& counts) {
  if (counts.pairs() == 0) return std::nullopt;
  return static_cast<double>(counts.concordant + counts.tied_both) / static_cast<double>(counts.pairs());
}

PairCounts count_pairs_with_threshold(std::span<const double> gold, std::span<const double> predicted,
                                      double tie_threshold) {
  require_pairs(gold, predicted);
  if (!(tie_threshold >= 0)) throw_invalid("the tie threshold must be 0 or more");
  if (tie_threshold == 0) return count_pairs(gold, predicted);
  PairCounts counts;
  for (std::size_t i = 0; i < gold.size(); ++i) {
    check_cancelled();
    for (std::size_t j = i + 1; j < gold.size(); ++j) {
      const double by_gold = gold[i] - gold[j], by_metric = predicted[i] - predicted[j];
      const bool metric_tie = std::fabs(by_metric) <= tie_threshold;
      if (by_gold == 0) {
        ++(metric_tie ? counts.tied_both : counts.tied_gold);
      } else if (metric_tie) {
        ++counts.tied_predicted;
      } else {
        ++(same_order(by_gold, by_metric) ? counts.concordant : counts.discordant);
      }
    }
  }
  return counts;
}

CalibratedAccuracy calibrate_accuracy(std::span<const Pairs> groups) {
  double total_pairs = 0;
  for (const Pairs& group : groups) {
    require_pairs(group.gold, group.predicted);
    const double rows = static_cast<double>(group.size());
    total_pairs += rows * (rows - 1) / 2;
  }
  if (total_pairs > static_cast<double>(kMostCalibrationPairs)) {
    throw_invalid(fmt::format("tie calibration over {:.0f} pairs of rows, at most {}: use smaller groups",
                              total_pairs, kMostCalibrationPairs));
  }
  // Weights of one group stay whole numbers, so that the best threshold is exact; several groups count alike.
  std::vector<double> weight(groups.size(), 1);
  std::size_t with_pairs = 0;
  for (const Pairs& group : groups) with_pairs += group.size() >= 2 ? 1u : 0u;
  if (with_pairs > 1) {
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const double rows = static_cast<double>(groups[g].size());
      weight[g] = rows >= 2 ? 2 / (rows * (rows - 1)) : 0;
    }
  }
  const std::vector<ThresholdStep> changes = list_changes(groups);
  CalibratedAccuracy result;
  CompensatedSum gain;
  double best = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    gain.add(weight[changes[i].group] * changes[i].gain);
    const bool last_of_equals = i + 1 == changes.size() || changes[i + 1].difference != changes[i].difference;
    // The margin keeps rounding from preferring a later threshold of the same accuracy.
    if (last_of_equals && gain.value() > best + 1e-13) {
      best = gain.value();
      result.tie_threshold = changes[i].difference;
    }
  }
  double sum = 0;
  for (const Pairs& group : groups) {
    result.groups.push_back(
        pairwise_accuracy(count_pairs_with_threshold(group.gold, group.predicted, result.tie_threshold)));
    if (result.groups.back()) sum += *result.groups.back();
  }
  if (with_pairs > 0) result.mean = sum / static_cast<double>(with_pairs);
  return result;
}

}  // namespace markeval::meta
