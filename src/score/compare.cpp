// The numbers of resamples and splits, the scoring run, the tests of all metrics and groups, and warnings.
#include "score/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/cancellation.hpp"
#include "meta/resampling_budget.hpp"
#include "metric/registry.hpp"
#include "report/svg_matrix.hpp"
#include "request/fields.hpp"
#include "request/score_request.hpp"
#include "score/listener.hpp"
#include "score/runtime.hpp"
#include "score/system_comparison.hpp"

namespace markeval::score {

namespace {

constexpr std::size_t kResamples = 1000, kTrials = 10'000;  // as sacrebleu
constexpr std::size_t kFewestTested = 5;                    // segments of a group
constexpr std::size_t kSplits = 200;                        // each costs two scores of half the rows

// As many as may be asked for: a tiny alpha wants more than any machine can draw.
constexpr auto kMostDrawn = static_cast<double>(request::kMostResamples);
constexpr double kFewDifferences = 1e8;  // all pairs together: done in a second

double pairs_of(std::size_t systems) {
  return static_cast<double>(systems) * (static_cast<double>(systems) - 1) / 2;
}

/// Holm multiplies the smallest p-value by the number of tests: that may be more than alpha to begin with.
bool can_separate(const ComparisonSettings& settings, std::size_t systems, double alpha) {
  if (settings.correction != meta::Correction::holm || settings.test == SystemTest::t) return true;
  return pairs_of(systems) <= alpha * static_cast<double>(settings.resamples + 1);
}

/// Default number of splits for set metrics: few, but enough for holm.
std::size_t splits_for(const ComparisonSettings& settings, std::size_t systems) {
  const double needed = settings.correction == meta::Correction::holm
                            ? std::min(kMostDrawn, 2 * pairs_of(systems) / settings.alpha)
                            : 0;
  return std::max(kSplits, 100 * static_cast<std::size_t>(std::ceil(needed / 100)));
}

/// Twice what holm takes, in thousands: to reach the strongest level that is shown, or, where that are too
/// many differences, at least alpha.
std::size_t resamples_for_holm(const ComparisonSettings& settings, std::size_t systems, std::size_t results) {
  const double pairs = pairs_of(systems);
  const double strongest = 2 * pairs / std::min(settings.alpha, report::kStrongest);
  const double affordable = kFewDifferences / (pairs * static_cast<double>(results));
  const double needed = std::max(std::min(strongest, affordable), 2 * pairs / settings.alpha);
  return 1000 * static_cast<std::size_t>(std::min(kMostDrawn, 1000 + needed) / 1000);
}

ComparisonSettings understand(const ScoreRequest& request, const CompareOptions& options) {
  ComparisonSettings settings;
  settings.test = system_test_named(options.test);
  settings.correction = meta::correction_named(options.correction);
  settings.seed = request.seed;
  settings.alpha = options.alpha;
  settings.resamples = options.resamples;
  if (!(options.alpha > 0 && options.alpha < 1))
    throw_usage(fmt::format("alpha {}, expected more than 0 and less than 1", options.alpha));
  if (settings.resamples == 1) throw_usage("resamples 1, expected at least 2: one has no spread");
  std::size_t results = 0;
  for (const Metric& metric : request.metrics) results += metric.result_count();
  if (settings.resamples == 0) {
    settings.resamples = settings.test == SystemTest::randomisation ? kTrials : kResamples;
    if (!can_separate(settings, request.systems.size(), std::min(settings.alpha, report::kStrongest)))
      settings.resamples = resamples_for_holm(settings, request.systems.size(), results);
  }
  if (settings.test != SystemTest::t) {
    meta::require_pair_differences(settings.resamples,
                                   static_cast<std::size_t>(pairs_of(request.systems.size())) * results,
                                   "--correction bh, --resamples 1000 or fewer systems need less");
  }
  if (request.systems.size() < 2) {
    throw_usage(fmt::format("{} to compare, expected a baseline and at least one more",
                            request.systems.empty() ? "no system" : "only one system"));
  }
  for (const Metric& metric : request.metrics) {
    if (!metric.scores_segments() && settings.test != SystemTest::bootstrap)
      throw_usage(fmt::format(
          "{}: test {} needs scores of segments, expected test bootstrap, which splits the rows for {}",
          metric.typed, options.test, metric.info->name));
    const auto* make = std::get_if<metric::LexicalMetricFactory>(&metric.info->factory);
    if (settings.test == SystemTest::t && make != nullptr && !(*make)(metric.options)->mean_of_segments())
      throw_usage(fmt::format("{} is not a mean of segment scores, expected test bootstrap or randomisation",
                              metric.typed));
  }
  return settings;
}

void warn_of_few_resamples(const ComparisonSettings& settings, std::size_t systems,
                           const RunContext& context) {
  if (can_separate(settings, systems, settings.alpha)) return;
  context.warn(fmt::format(
      "{} resamples and holm cannot separate {} systems ({} pairs) at {}: more than {:.0f} resamples can",
      settings.resamples, systems, pairs_of(systems), settings.alpha,
      std::floor(pairs_of(systems) / settings.alpha)));
}

/// All metrics of a run, or of one of its groups.
std::vector<report::ComparedResult> compare_all(const std::vector<Result>& results,
                                                const std::vector<Metric>& metrics,
                                                const ComparisonSettings& settings,
                                                const RunContext& context) {
  std::vector<report::ComparedResult> compared;
  for (Metric metric : metrics) {
    std::vector<const Result*> systems;
    for (const Result& result : results) {
      if (result.requested == metric.text) systems.push_back(&result);
    }
    if (systems.empty()) continue;  // it could not be computed
    if (systems.front()->scores.front().first == "covered") metric.result.clear();  // the only one it has
    for (auto& result : compare_systems(systems, metric, settings, context))
      compared.push_back(std::move(result));
  }
  return compared;
}

/// Resamples of a few segments are all alike: whatever differs would look certain.
void leave_untested(std::vector<report::ComparedResult>& results) {
  for (report::ComparedResult& result : results) {
    for (report::ComparedPair& pair : result.pairs) pair.p_value = pair.p_adjusted = std::nullopt;
    for (report::ComparedSystem& system : result.systems) {
      system.rank = system.best_rank = 1;
      system.worst_rank = result.systems.size();
    }
  }
}

}  // namespace

ScoreRequest request_of_comparison(const ScoreRequest& request, const CompareOptions& options) {
  const ComparisonSettings settings = understand(request, options);
  ScoreRequest scored = request;
  scored.resamples = settings.test == SystemTest::bootstrap ? settings.resamples : kResamples;
  if (options.resamples == 0) scored.splits = splits_for(settings, request.systems.size());
  scored.keep_statistics = true;
  scored.equal_sizes = true;
  return scored;
}

std::shared_ptr<ComparisonData> compare(const ScoreRequest& request, const CompareOptions& options,
                                        const Caller& caller, const Measure& measure) {
  const auto& [runtime, observer, cancel] = caller;
  const ComparisonSettings settings = understand(request, options);
  const auto scored = score_request(request_of_comparison(request, options), caller, measure);
  const report::RunReport& report = scored->report;
  Listener listener(observer);
  const CancelScope stoppable(cancel);
  const FinishScope finishing;  // who stopped the scoring still gets the tests of what was finished
  const RunContext context{runtime.pool, &listener, &listener};
  warn_of_few_resamples(settings, request.systems.size(), context);
  auto data = std::make_shared<ComparisonData>();
  data->run.correction = options.correction;
  data->run.alpha = options.alpha;
  data->run.results = compare_all(report.results, request.metrics, settings, context);
  data->run.group_column = report.grouped.column;
  for (const report::GroupScores& group : report.grouped.groups) {
    data->run.groups.push_back(
        {group.group, group.segments, compare_all(group.results, request.metrics, settings, context)});
    if (group.segments < kFewestTested) leave_untested(data->run.groups.back().results);
  }
  data->run.warnings = report.warnings;
  data->run.errors = report.errors;
  data->run.ceilings = report.ceilings;
  for (std::string& warning : listener.take_warnings()) data->run.warnings.push_back(std::move(warning));
  data->page = scored->page;
  if (data->page) data->page->facts.warnings = data->run.warnings;
  return data;
}

}  // namespace markeval::score
