// Approximate randomisation, the paired t test, tests from given resamples, and ranks from the p-values.
#include "meta/system_significance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "meta/quantile.hpp"
#include "meta/resampling_batch.hpp"
#include "meta/student_t.hpp"
#include "meta/values.hpp"

namespace markeval::meta {
namespace {

/// Relative: differences of sums in another order are equal but for rounding.
constexpr double kTolerance = 1e-12;

void require_statistics(MatrixView<const double> statistics, std::string_view name) {
  if (statistics.empty()) throw_invalid(fmt::format("{}: no segments", name));
  for (std::size_t row = 0; row < statistics.rows(); ++row) {
    for (const double value : statistics.row(row)) {
      if (!std::isfinite(value))
        throw_invalid(fmt::format("{}: segment {} is not a finite number", name, row + 1));
    }
  }
}

void require_same_shape(MatrixView<const double> baseline, MatrixView<const double> system,
                        const SystemTestOptions& options) {
  require_statistics(baseline, "baseline");
  require_statistics(system, "system");
  if (baseline.rows() != system.rows() || baseline.columns() != system.columns()) {
    throw_invalid(fmt::format("baseline: {} segments with {} statistics, system: {} with {}", baseline.rows(),
                              baseline.columns(), system.rows(), system.columns()));
  }
  if (options.resamples == 0) throw_usage("0 resamples, expected at least 1");
}

void add(std::span<const double> row, std::vector<double>& sums) {
  for (std::size_t i = 0; i < row.size(); ++i) sums[i] += row[i];
}

double score_of_all(MatrixView<const double> statistics, Aggregate aggregate) {
  std::vector<double> sums(statistics.columns());
  for (std::size_t row = 0; row < statistics.rows(); ++row) add(statistics.row(row), sums);
  return aggregate(sums, statistics.rows());
}

/// How often a resampled difference lies as far from `centre` as the observed one from 0.
double p_value_of(std::span<const double> differences, double centre, const SystemDifference& observed) {
  const double scale = std::max(std::fabs(observed.baseline), std::fabs(observed.system));
  const double least = std::fabs(observed.difference) - kTolerance * scale;
  const auto hits =
      std::ranges::count_if(differences, [&](double d) { return std::fabs(d - centre) >= least; });
  return (static_cast<double>(hits) + 1) / (static_cast<double>(differences.size()) + 1);
}

/// Working memory of one thread.
struct ResampleSums {
  std::vector<double> first, second;
  std::vector<std::uint64_t> coins;
};

}  // namespace

SystemDifference approximate_randomisation(MatrixView<const double> baseline, MatrixView<const double> system,
                                           Aggregate aggregate, const SystemTestOptions& options,
                                           const RunContext& context) {
  require_same_shape(baseline, system, options);
  std::vector<double> differences(options.resamples);
  std::vector<ResampleSums> workers(context.pool.size());
  detail::for_each_resample(
      options.resamples, "permutations", context, [&](std::size_t index, std::size_t worker) {
        ResampleSums& sums = workers[worker];
        sums.first.assign(baseline.columns(), 0);
        sums.second.assign(baseline.columns(), 0);
        detail::flip_coins(options.seed, index, baseline.rows(), sums.coins);
        for (std::size_t row = 0; row < baseline.rows(); ++row) {
          const bool swap = detail::is_set(sums.coins, static_cast<std::uint32_t>(row));
          add(baseline.row(row), swap ? sums.second : sums.first);
          add(system.row(row), swap ? sums.first : sums.second);
        }
        differences[index] = aggregate(sums.second, baseline.rows()) - aggregate(sums.first, baseline.rows());
      });
  SystemDifference result{score_of_all(baseline, aggregate), score_of_all(system, aggregate), 0, 1, {}};
  result.difference = result.system - result.baseline;
  result.p_value = p_value_of(differences, 0, result);
  return result;
}

SystemDifference resampled_difference(double baseline, double system, std::vector<double> differences,
                                      double interval) {
  if (differences.empty()) throw_invalid("no resamples");
  SystemDifference result{baseline, system, system - baseline, 1, {}};
  result.p_value = p_value_of(differences, result.difference, result);
  result.interval = central_of(std::move(differences), interval);
  return result;
}

std::optional<SystemDifference> paired_t_test(std::span<const double> baseline,
                                              std::span<const double> system, double interval) {
  require_finite(baseline, "baseline");
  require_finite(system, "system");
  if (baseline.size() != system.size()) {
    throw_invalid(fmt::format("baseline: {} segments, system: {}", baseline.size(), system.size()));
  }
  if (baseline.size() < 2) return std::nullopt;
  const double n = static_cast<double>(baseline.size());
  SystemDifference result;
  for (std::size_t i = 0; i < baseline.size(); ++i) {
    result.baseline += baseline[i] / n;
    result.system += system[i] / n;
    result.difference += (system[i] - baseline[i]) / n;
  }
  double squares = 0;
  for (std::size_t i = 0; i < baseline.size(); ++i) {
    const double deviation = system[i] - baseline[i] - result.difference;
    squares += deviation * deviation;
  }
  const double error = std::sqrt(squares / (n - 1) / n);
  const double scale = std::max(std::fabs(result.baseline), std::fabs(result.system));
  if (error <= kTolerance * scale) {
    if (std::fabs(result.difference) > kTolerance * scale) return std::nullopt;
    result.interval = Interval{result.difference, result.difference};
    return result;
  }
  result.p_value = student_t_two_sided(result.difference / error, n - 1);
  const double reach = error * student_t_two_sided_quantile(1 - interval, n - 1);
  result.interval = Interval{result.difference - reach, result.difference + reach};
  return result;
}

std::vector<RankedSystem> rank_systems(std::span<const double> scores, MatrixView<const double> p_values,
                                       double alpha, bool higher_is_better) {
  require_finite(scores, "scores");
  const std::size_t count = scores.size();
  if (p_values.rows() != count || p_values.columns() != count) {
    throw_invalid(fmt::format("{} systems but {} x {} p-values", count, p_values.rows(), p_values.columns()));
  }
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return higher_is_better ? scores[a] > scores[b] : scores[a] < scores[b];
  });
  const auto separated = [&](std::size_t above, std::size_t below) {
    return scores[order[above]] != scores[order[below]] && p_values(order[above], order[below]) <= alpha;
  };
  // reach[i] = the last position not separated from one of 0..i: a border follows i where that is i itself.
  std::vector<RankedSystem> ranked(count);
  std::size_t reach = 0, cluster = 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > reach) cluster = i + 1;
    reach = std::max(reach, i);
    ranked[i] = {order[i], cluster, 1, count};
    for (std::size_t j = 0; j < count; ++j) {
      if (j < i && separated(j, i)) ++ranked[i].best_rank;
      if (j > i && separated(i, j)) --ranked[i].worst_rank;
      if (j > i && !separated(i, j)) reach = std::max(reach, j);
    }
  }
  return ranked;
}

}  // namespace markeval::meta
