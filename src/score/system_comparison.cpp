// One test per result (bootstrap, randomisation or t), then adjusted p-values and ranks.
#include "score/system_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/lookup.hpp"
#include "meta/split_halves.hpp"
#include "meta/word_table.hpp"
#include "metric/bootstrap.hpp"
#include "report/html_text.hpp"

namespace markeval::score {
namespace {

using lexical::PythonNumber;
using report::ComparedPair;

constexpr meta::WordTable<SystemTest, 3> kTests{{{SystemTest::bootstrap, "bootstrap"},
                                                 {SystemTest::randomisation, "randomisation"},
                                                 {SystemTest::t, "t"}}};

std::vector<double> differences_of(const Result& first, const Result& second, std::size_t r) {
  const std::vector<double>&of_first = first.resampled[r].second.values,
        &of_second = second.resampled[r].second.values;
  std::vector<double> differences(of_first.size());
  for (std::size_t i = 0; i < of_first.size(); ++i) differences[i] = of_second[i] - of_first[i];
  return differences;
}

/// One result of one metric; all its pairs of systems.
class PairTests {
 public:
  /// `counted`: the metric, where its score is not a mean of segment scores.
  PairTests(std::span<const Result* const> systems, std::size_t result, const metric::LexicalMetric* counted,
            const ComparisonSettings& settings, const RunContext& context)
      : systems_(systems), result_(result), settings_(settings), context_(context), metric_(counted) {
    halved_ = systems.front()->half_rows > 0;
  }

  std::vector<ComparedPair> run() const {
    std::vector<ComparedPair> pairs;
    for (std::size_t first = 0; first < systems_.size(); ++first) {
      for (std::size_t second = first + 1; second < systems_.size(); ++second) {
        pairs.push_back({first, second, score(second) - score(first), {}, {}, {}});
      }
    }
    for_each(pairs, [&](ComparedPair& pair) { bootstrap(pair); });
    if (settings_.test == SystemTest::randomisation) randomise(pairs);
    for_each(pairs, [&](ComparedPair& pair) {
      if (settings_.test == SystemTest::t) t_test(pair);
      // sacrebleu's formula counts larger differences only, and so finds the smallest p-value where none is.
      if (equal_segments(pair)) pair.p_value = 1;
    });
    return pairs;
  }

  /// Segments that are drawn or exchanged; none where sets are cut in halves.
  std::optional<std::size_t> segments() const {
    return halved_ ? std::nullopt : std::optional(rows_of(0).rows());
  }

  /// What the signature says behind that of the metric.
  Named<std::string> signature() const {
    if (halved_) return {{"test", "split-halves"}};
    switch (settings_.test) {
      case SystemTest::bootstrap:
        return {{"test", "bootstrap"}, {"p", as_sacrebleu() ? "sacrebleu" : "two-sided"}};
      case SystemTest::randomisation:
        return {{"test", "randomisation"}, {"ar", std::to_string(settings_.resamples)}};
      case SystemTest::t:
        return {{"test", "t"}};
    }
    return {};
  }

 private:
  void for_each(std::vector<ComparedPair>& pairs, FunctionRef<void(ComparedPair&)> body) const {
    constexpr std::size_t kAtOnce = 64;
    for (std::size_t done = 0; done < pairs.size(); done += kAtOnce) {
      const std::size_t now = std::min(kAtOnce, pairs.size() - done);
      context_.pool.for_each(now, [&](std::size_t item, std::size_t) {
        context_.check_cancelled();
        body(pairs[done + item]);
      });
      context_.report_progress("tests of pairs", done + now, pairs.size());
    }
  }
  double score(std::size_t system) const { return systems_[system]->scores[result_].second; }
  bool as_sacrebleu() const { return metric_ != nullptr && metric_->resamples_in_single(); }

  bool equal_segments(const ComparedPair& pair) const {
    if (halved_) return false;
    const MatrixView<const double> first = rows_of(pair.first), second = rows_of(pair.second);
    return std::equal(first.data(), first.data() + first.rows() * first.columns(), second.data(),
                      second.data() + second.rows() * second.columns());
  }

  /// p-value and interval from the resampled scores at hand.
  void bootstrap(ComparedPair& pair) const {
    const Result &first = *systems_[pair.first], &second = *systems_[pair.second];
    std::vector<double> differences = differences_of(first, second, result_);
    if (halved_) {
      const auto [rows, half_rows] = std::pair(second.split_rows, second.half_rows);
      pair.p_value = meta::split_p_value(pair.difference, differences, rows, half_rows);
      pair.interval = meta::split_interval(pair.difference, differences, rows, half_rows);
      return;
    }
    const meta::SystemDifference found =
        meta::resampled_difference(score(pair.first), score(pair.second), std::move(differences));
    pair.interval = *found.interval;
    pair.p_value = as_sacrebleu() ? lexical::paired_bootstrap_p_value(score(pair.first), score(pair.second),
                                                                      first.resampled[result_].second,
                                                                      second.resampled[result_].second)
                                  : found.p_value;
  }

  void randomise(std::vector<ComparedPair>& pairs) const {
    if (as_sacrebleu()) {
      std::vector<SegmentStatistics> statistics;
      for (const Result* system : systems_) statistics.push_back(system->statistics);
      std::vector<lexical::SystemPair> system_pairs;
      for (const ComparedPair& pair : pairs) system_pairs.push_back({pair.first, pair.second});
      const auto segments = static_cast<double>(statistics.front().rows());
      const auto p_values = lexical::paired_randomization(
          statistics, system_pairs, settings_.resamples, settings_.seed,
          [&](std::span<const PythonNumber> sum) { return metric_->scores(sum, segments)[result_]; },
          context_);
      for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i].p_value = p_values[i];
      return;
    }
    const meta::SystemTestOptions options{settings_.resamples, settings_.seed};
    for (ComparedPair& pair : pairs) {
      pair.p_value =
          meta::approximate_randomisation(
              rows_of(pair.first), rows_of(pair.second),
              [&](std::span<const double> sums, std::size_t segments) {
                const auto count = static_cast<double>(segments);
                if (metric_ == nullptr) return sums[0] / count;
                return metric_->scores(std::vector<PythonNumber>(sums.begin(), sums.end()), count)[result_]
                    .value;
              },
              options, context_)
              .p_value;
    }
  }

  void t_test(ComparedPair& pair) const {
    const auto found = meta::paired_t_test(segments_of(pair.first), segments_of(pair.second));
    pair.p_value = found ? std::optional(found->p_value) : std::nullopt;
    if (found && found->interval) pair.interval = found->interval;
  }

  std::span<const double> segments_of(std::size_t system) const {
    return systems_[system]->segments[result_].second;
  }
  MatrixView<const double> rows_of(std::size_t system) const {
    if (metric_ == nullptr) return {segments_of(system).data(), segments_of(system).size(), 1};
    const SegmentStatistics& rows = systems_[system]->statistics;
    return {rows.values.data(), rows.rows(), rows.columns};
  }

  std::span<const Result* const> systems_;
  std::size_t result_;
  const ComparisonSettings& settings_;
  const RunContext& context_;
  bool halved_ = false;
  const metric::LexicalMetric* metric_;
};

void adjust(std::vector<ComparedPair>& pairs, meta::Correction correction) {
  std::vector<std::optional<double>> p_values;
  for (const ComparedPair& pair : pairs) p_values.push_back(pair.p_value);
  const auto adjusted = meta::adjust(p_values, correction);
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i].p_adjusted = adjusted[i];
}

/// Below six segments no exact test of two systems reaches 0.05 (two-sided, 2 / 2^5 = 0.063), whatever p a
/// formula gives: nothing is separated then. With a few more a test may separate two, but finds little.
void doubt(std::optional<std::size_t> segments, std::vector<ComparedPair>& pairs, const RunContext& context) {
  constexpr std::size_t kFewestSegments = 6, kFewSegments = 20;
  if (!segments || *segments >= kFewSegments) return;
  const bool too_few = *segments < kFewestSegments;
  if (too_few) {
    for (ComparedPair& pair : pairs) pair.p_adjusted.reset();
  }
  context.warn(
      fmt::format("only {}: {}", report::counted(*segments, "segment"),
                  too_few ? "too few to tell systems apart" : "only large differences can be found"));
}

void rank(report::ComparedResult& result, double alpha) {
  const std::size_t count = result.systems.size();
  std::vector<double> scores, p_values(count * count, 1.0);
  for (const report::ComparedSystem& system : result.systems) scores.push_back(system.score);
  for (const ComparedPair& pair : result.pairs) {
    const double p = report::is_separated(pair, alpha) ? *pair.p_adjusted : 1;
    p_values[pair.first * count + pair.second] = p_values[pair.second * count + pair.first] = p;
  }
  for (const meta::RankedSystem& ranked :
       meta::rank_systems(scores, {p_values.data(), count, count}, alpha, result.higher_is_better)) {
    report::ComparedSystem& system = result.systems[ranked.system];
    system.rank = ranked.cluster;
    system.best_rank = ranked.best_rank;
    system.worst_rank = ranked.worst_rank;
  }
}

std::optional<double> detail_of(const Result& result, const std::string& name) {
  const Detail* found = find_named(result.details, name);
  return found == nullptr ? std::nullopt : std::optional(std::get<double>(*found));
}

}  // namespace

SystemTest system_test_named(std::string_view name) {
  return meta::value_named(kTests, "test", name);
}

std::vector<report::ComparedResult> compare_systems(std::span<const Result* const> systems,
                                                    const Metric& request, const ComparisonSettings& settings,
                                                    const RunContext& context) {
  std::unique_ptr<metric::LexicalMetric> counted;
  if (systems.front()->statistics.columns > 0)
    counted = std::get<metric::LexicalMetricFactory>(request.info->factory)(request.options);
  std::vector<report::ComparedResult> results;
  for (std::size_t r = 0; r < systems.front()->scores.size(); ++r) {
    if (!request.wants(systems.front()->scores[r].first)) continue;
    const PairTests tests(systems, r, counted.get(), settings, context);
    report::ComparedResult& result = results.emplace_back();
    result.metric = systems.front()->metric;
    result.requested = systems.front()->requested;
    result.result = systems.front()->scores[r].first;
    result.is_main = result.result == request.info->main;
    result.higher_is_better = request.info->better == metric::Better::higher;
    for (const Result* system : systems) {
      result.systems.push_back({system->system, system->scores[r].second,
                                detail_of(*system, result.result + "_bootstrap_mean"),
                                detail_of(*system, result.result + "_bootstrap_half_width"),
                                system->intervals[r].second, 1, 1, 1});
    }
    result.pairs = tests.run();
    adjust(result.pairs, settings.correction);
    doubt(tests.segments(), result.pairs, context);
    rank(result, settings.alpha);
    Result described = *systems.front();
    const auto parts = tests.signature();
    result.test = parts.front().second;
    for (const auto& [key, value] : parts) metric::add_to_signature(described, key, value);
    metric::add_to_signature(described, "correction", std::string(meta::name(settings.correction)));
    metric::add_to_signature(described, "alpha", fmt::format("{}", settings.alpha));
    result.signature = described.signature();
  }
  return results;
}

}  // namespace markeval::score
