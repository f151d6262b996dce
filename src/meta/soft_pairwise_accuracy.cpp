// The p-value of each pair of systems from random signs of the segment scores, the same signs for all
// systems.
#include "meta/soft_pairwise_accuracy.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/error.hpp"
#include "meta/resampling_batch.hpp"
#include "meta/values.hpp"

namespace markeval::meta {
namespace {

/// Sums of +-1 times the scores in another order differ by rounding; this far apart, relative, they are
/// equal.
constexpr double kEqualSums = 1e-12;

struct AccuracyWorker {
  std::vector<std::uint64_t> coins;
  std::vector<double> signed_sums;
  std::vector<std::uint64_t> hits;
};

}  // namespace

std::vector<double> pairwise_p_values(MatrixView<const double> scores, const SoftAccuracyOptions& options,
                                      const RunContext& context) {
  if (options.permutations == 0) throw_usage("0 permutations, expected at least 1");
  const std::size_t systems = scores.rows(), segments = scores.columns();
  std::vector<double> sums(systems), magnitudes(systems);
  for (std::size_t s = 0; s < systems; ++s) {
    require_finite(scores.row(s), fmt::format("system {}", s + 1));
    for (const double score : scores.row(s)) {
      sums[s] += score;
      magnitudes[s] += std::fabs(score);
    }
  }
  const std::size_t pairs = systems < 2 ? 0 : systems * (systems - 1) / 2;
  std::vector<AccuracyWorker> workers(context.pool.size());
  for (AccuracyWorker& worker : workers) worker.hits.resize(pairs);
  detail::for_each_resample(
      options.permutations, "permutations", context, [&](std::size_t index, std::size_t number) {
        AccuracyWorker& worker = workers[number];
        detail::flip_coins(options.seed, index, segments, worker.coins);
        worker.signed_sums.assign(systems, 0);
        for (std::size_t s = 0; s < systems; ++s) {
          const auto row = scores.row(s);
          for (std::size_t i = 0; i < segments; ++i) {
            worker.signed_sums[s] +=
                detail::is_set(worker.coins, static_cast<std::uint32_t>(i)) ? row[i] : -row[i];
          }
        }
        std::size_t pair = 0;
        for (std::size_t a = 0; a < systems; ++a) {
          for (std::size_t b = a + 1; b < systems; ++b, ++pair) {
            const double tolerance = kEqualSums * (magnitudes[a] + magnitudes[b]);
            const bool reached =
                worker.signed_sums[a] - worker.signed_sums[b] >= sums[a] - sums[b] - tolerance;
            worker.hits[pair] += reached ? 1u : 0u;
          }
        }
      });
  std::vector<double> p_values(pairs);
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    std::uint64_t hits = 0;
    for (const AccuracyWorker& worker : workers) hits += worker.hits[pair];
    p_values[pair] = static_cast<double>(hits) / static_cast<double>(options.permutations);
  }
  return p_values;
}

std::optional<double> soft_pairwise_accuracy(MatrixView<const double> gold,
                                             MatrixView<const double> predicted,
                                             const SoftAccuracyOptions& options, const RunContext& context) {
  if (gold.rows() != predicted.rows() || gold.columns() != predicted.columns()) {
    throw_invalid(fmt::format("gold: {} systems with {} segments, predicted: {} with {}", gold.rows(),
                              gold.columns(), predicted.rows(), predicted.columns()));
  }
  if (gold.rows() < 2 || gold.columns() == 0) return std::nullopt;
  const std::vector<double> by_people = pairwise_p_values(gold, options, context);
  const std::vector<double> by_metric = pairwise_p_values(predicted, options, context);
  double apart = 0;
  for (std::size_t pair = 0; pair < by_people.size(); ++pair)
    apart += std::fabs(by_people[pair] - by_metric[pair]);
  return 1 - apart / static_cast<double>(by_people.size());
}

}  // namespace markeval::meta
