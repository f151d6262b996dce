// How long the meta-evaluation takes: Kendall over a million pairs, permutations and bootstraps over 3,920
// rows and 20 metrics. Verifies before it times.
//
// Usage: bench_meta [THREADS]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "meta/correlation.hpp"
#include "meta/kendall.hpp"
#include "meta/metric_significance.hpp"

namespace {

using namespace markeval;
using namespace markeval::meta;

/// Median and spread of `runs` runs, in seconds.
template <typename Body>
void report(const char* what, int runs, Body body) {
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    body();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(seconds.begin(), seconds.end());
  std::printf("%-52s %8.3f s (%.3f to %.3f, %d runs)\n", what, seconds[seconds.size() / 2], seconds.front(),
              seconds.back(), runs);
}

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "wrong result: %s\n", what);
  std::exit(1);
}

ScoreTable table_like_wmt17(std::size_t metrics) {
  RandomStream stream(1, 0);
  ScoreTable table;
  for (std::size_t row = 0; row < 3920; ++row) table.gold.emplace_back(stream.normal());
  for (std::size_t m = 0; m < metrics; ++m) {
    Values values;
    for (const auto& gold : table.gold)
      values.emplace_back(*gold + (1 + 0.02 * static_cast<double>(m)) * stream.normal());
    table.predicted.push_back({std::string(1, 'm').append(std::to_string(m)), std::move(values)});
  }
  return table;
}

}  // namespace

int main(int count, char** arguments) {
  const std::size_t threads = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 0;
  ThreadPool pool(threads);
  const RunContext context{pool};
  std::printf("%zu threads\n", pool.size());

  RandomStream stream(2, 0);
  std::vector<double> gold(1'000'000), predicted(gold.size()), tied(gold.size());
  for (std::size_t i = 0; i < gold.size(); ++i) {
    gold[i] = stream.normal();
    predicted[i] = gold[i] + stream.normal();
    tied[i] = static_cast<double>(stream.below(100));
  }
  require(kendall_tau_b(gold, gold).value_or(0) > 1 - 1e-12, "kendall of a vector with itself");
  report("kendall tau-b, 1,000,000 pairs", 5, [&] { kendall_tau_b(gold, predicted); });
  report("kendall tau-b, 1,000,000 pairs, 100 values", 5, [&] { kendall_tau_b(gold, tied); });
  report("spearman, 1,000,000 pairs", 5, [&] { spearman(gold, predicted); });
  report("pearson, 1,000,000 pairs", 5, [&] { pearson(gold, predicted); });

  const ScoreTable twenty = table_like_wmt17(20), two = table_like_wmt17(2);
  MetricTestOptions options;
  const auto test = [&](const ScoreTable& table, Coefficient coefficient, MetricTest which) {
    const auto results = compare_metrics(table, coefficient, which, options, context);
    require(results[0].resamples == options.resamples, "a resample without a value");
  };
  report("perm-both, pearson, 10,000 x 3,920 rows x 20 metrics", 3,
         [&] { test(twenty, Coefficient::pearson, MetricTest::perm_both); });
  report("bootstrap, pearson, 10,000 x 3,920 rows x 20 metrics", 3,
         [&] { test(twenty, Coefficient::pearson, MetricTest::bootstrap); });
  report("perm-both, spearman, 10,000 x 3,920 rows, one pair", 3,
         [&] { test(two, Coefficient::spearman, MetricTest::perm_both); });
  report("perm-both, kendall, 10,000 x 3,920 rows, one pair", 1,
         [&] { test(two, Coefficient::kendall, MetricTest::perm_both); });
  return 0;
}
