#include "api/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "api/evaluator_state.hpp"
#include "api/listener.hpp"
#include "api/markeval.hpp"
#include "api/report_data.hpp"
#include "api/request_fields.hpp"
#include "api/request_lookup.hpp"
#include "api/requested_metrics.hpp"
#include "api/system_comparison.hpp"
#include "base/suggestion.hpp"
#include "meta/resampling_budget.hpp"
#include "metric/registry.hpp"
#include "report/html_comparison.hpp"
#include "report/svg_matrix.hpp"

namespace markeval {

struct ComparisonReport::State {
  report::ComparisonRun run;
  std::optional<report::ScorePage> page;  ///< where asked for
};

namespace {

constexpr std::size_t kResamples = 1000, kTrials = 10'000;  // as sacrebleu
constexpr std::size_t kFewestTested = 5;                    // segments of a group
constexpr std::size_t kSplits = 200;                        // each costs two scores of half the rows

// As many as may be asked for: a tiny alpha wants more than any machine can draw.
constexpr auto kMostDrawn = static_cast<double>(kMostResamples);
constexpr double kFewDifferences = 1e8;  // of all pairs: done in a second

double pairs_of(std::size_t systems) {
  return static_cast<double>(systems) * (static_cast<double>(systems) - 1) / 2;
}

/// Holm multiplies the smallest p-value by the number of tests: that may be more than alpha to begin with.
bool can_separate(const ComparisonSettings& settings, std::size_t systems, double alpha) {
  if (settings.correction != meta::Correction::holm || settings.test == SystemTest::t) return true;
  return pairs_of(systems) <= alpha * static_cast<double>(settings.resamples + 1);
}

/// Of set metrics where nobody asked for a number: few, but enough for holm.
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
  for (const std::string& text : request.metrics) results += result_count(metric::parse_metric_request(text));
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
  for (const std::string& text : request.metrics) {
    const metric::MetricRequest one = metric::parse_metric_request(text);
    if (one.info->kind == metric::Kind::set && settings.test != SystemTest::bootstrap &&
        one.options.text("scope") == "corpus") {
      throw_usage(fmt::format(
          "{}: test {} needs scores of segments, expected test bootstrap, which splits the rows for {}", text,
          options.test, one.info->name));
    }
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
                                                const ScoreRequest& request,
                                                const ComparisonSettings& settings,
                                                const RunContext& context) {
  std::vector<report::ComparedResult> compared;
  for (const std::string& text : request.metrics) {
    metric::MetricRequest metric = metric::parse_metric_request(text);
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

const report::ComparedResult& find(const report::ComparisonRun& run, std::string_view metric,
                                   std::string_view result) {
  std::vector<std::string> requests, results;
  for (const report::ComparedResult& one : run.results) requests.push_back(one.requested);
  require_computed(run.errors, requests, metric);
  const std::string request = find_request(requests, metric);
  for (const report::ComparedResult& one : run.results) {
    if (one.requested != request) continue;
    if (one.result == result) return one;
    results.push_back(one.result);
  }
  throw_usage(fmt::format("{} has no result '{}'{}", request, result, suggestion(result, results)));
}

std::size_t place(const report::ComparedResult& result, std::string_view system) {
  const auto found = std::find_if(result.systems.begin(), result.systems.end(),
                                  [&](const auto& one) { return one.system == system; });
  if (found == result.systems.end()) {
    std::vector<std::string> known;
    for (const report::ComparedSystem& one : result.systems) known.push_back(one.system);
    throw_usage(missing_name("system", system, known));
  }
  return static_cast<std::size_t>(found - result.systems.begin());
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

ComparisonReport Evaluator::compare(const ScoreRequest& request, const CompareOptions& options,
                                    Observer* observer, const std::atomic<bool>* cancel) {
  const ComparisonSettings settings = understand(request, options);
  const Report report = score(request_of_comparison(request, options), observer, cancel);

  Listener listener(observer);
  // Who stopped the scoring still gets the tests of what was finished.
  const bool stopped = std::any_of(report.errors().begin(), report.errors().end(),
                                   [](const FailedMetric& error) { return error.cancelled; });
  const RunContext context{state_->pool, &listener, &listener, stopped ? nullptr : cancel};
  warn_of_few_resamples(settings, request.systems.size(), context);
  auto data = std::make_shared<ComparisonReport::State>();
  data->run.correction = options.correction;
  data->run.alpha = options.alpha;
  data->run.results = compare_all(report.data().report.results, request, settings, context);
  data->run.group_column = report.data().report.grouped.column;
  for (const report::GroupScores& group : report.data().report.grouped.groups) {
    data->run.groups.push_back(
        {group.group, group.segments, compare_all(group.results, request, settings, context)});
    if (group.segments < kFewestTested) leave_untested(data->run.groups.back().results);
  }
  data->run.warnings = report.warnings();
  data->run.errors = report.errors();
  data->run.ceilings = report.ceilings();
  for (std::string& warning : listener.take_warnings()) data->run.warnings.push_back(std::move(warning));
  data->page = report.data().page;
  if (data->page) data->page->facts.warnings = data->run.warnings;
  return ComparisonReport(std::move(data));
}

ComparisonReport::ComparisonReport(std::shared_ptr<const State> data) : state_(std::move(data)) {}

std::optional<double> ComparisonReport::p_value(std::string_view system, std::string_view metric,
                                                std::string_view result) const {
  const report::ComparedResult& found = find(state_->run, metric, result);
  const std::size_t second = place(found, system);
  return second == 0 ? std::nullopt : found.pairs[second - 1].p_value;
}
std::size_t ComparisonReport::rank(std::string_view system, std::string_view metric,
                                   std::string_view result) const {
  const report::ComparedResult& found = find(state_->run, metric, result);
  return found.systems[place(found, system)].rank;
}
const std::vector<std::string>& ComparisonReport::warnings() const {
  return state_->run.warnings;
}
const std::vector<FailedMetric>& ComparisonReport::errors() const {
  return state_->run.errors;
}
std::string ComparisonReport::text(const TextOptions& options) const {
  return report::to_text(state_->run, options);
}
std::string ComparisonReport::json() const {
  return report::to_json(state_->run);
}
std::string ComparisonReport::tsv() const {
  return report::to_tsv(state_->run);
}
std::string ComparisonReport::html(const std::vector<std::string>& command) const {
  if (!state_->page) throw_usage("no page was asked for");
  report::ComparisonPage page{*state_->page, state_->run};
  page.score.facts.command = command;
  return report::comparison_page(page);
}

}  // namespace markeval
