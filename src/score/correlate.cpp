// The order of steps: check the request, read or score the table, then coefficients, intervals and tests per
// gold column.
#include "score/correlate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/cancellation.hpp"
#include "base/input_bytes.hpp"
#include "base/run_context.hpp"
#include "base/version.hpp"
#include "meta/coefficient_intervals.hpp"
#include "meta/soft_accuracy_table.hpp"
#include "report/correlation_verdict.hpp"
#include "report/correlations.hpp"
#include "report/html_correlation.hpp"
#include "report/html_text.hpp"
#include "request/lookup.hpp"
#include "request/score_request.hpp"
#include "score/correlation_checks.hpp"
#include "score/html_report.hpp"
#include "score/judged_pairs.hpp"
#include "score/learned_tables.hpp"
#include "score/listener.hpp"
#include "score/runtime.hpp"
#include "score/table_scores.hpp"
#include "score/text_inputs.hpp"

namespace markeval::score {

namespace {

using meta::Coefficient;
using meta::ScoreTable;

constexpr std::string_view kSoftAccuracy = "soft-accuracy";
constexpr std::string_view kNoTest = "none";
constexpr std::size_t kUsualResamples = 1000;  ///< of intervals that were not asked for

/// The words of a request, checked before anything is read.
struct Plan {
  std::vector<Coefficient> coefficients;  // without soft-accuracy
  std::optional<std::size_t> soft;        // its place among the names asked for
  std::optional<meta::MetricTest> test;   // that was asked for
  meta::Correction correction = meta::Correction::holm;
  meta::CoefficientOptions options;
};

Plan make_plan(const CorrelateRequest& request) {
  Plan plan;
  std::vector<std::string> known = meta::coefficient_names();
  known.emplace_back(kSoftAccuracy);
  if (request.coefficients.empty()) throw_usage("no coefficient given");
  if (gives_pairs(request)) check_pairs(request);
  for (std::size_t i = 0; i < request.coefficients.size(); ++i) {
    const std::string& name = request.coefficients[i];
    request::require_known("coefficient", name, known);
    if (std::ranges::count(request.coefficients, name) > 1) {
      throw_usage(fmt::format("coefficient '{}' is asked for twice", name));
    }
    if (name == kSoftAccuracy) {
      plan.soft = i;
    } else {
      plan.coefficients.push_back(meta::coefficient_named(name));
    }
  }
  request::require_known("level", request.level, std::array<std::string, 2>{"segment", "system"});
  if (plan.soft && request.level == "system")
    throw_usage("soft-accuracy is of systems already: leave out level system");
  if (plan.soft && (request.system.empty() || request.segment.empty())) {
    throw_usage("soft-accuracy needs --system COLUMN and --segment COLUMN");
  }
  if (request.level == "system" && request.system.empty())
    throw_usage("level system needs the column of systems");
  if (!request.test.empty() && request.test != kNoTest) {
    plan.test = meta::metric_test_named(request.test);
    if (plan.soft == std::size_t{0})
      throw_usage("no test is made for soft-accuracy; name another coefficient first");
  }
  if (request.intervals == std::uint64_t{1})
    throw_usage("ci 1, expected at least 2 resamples: one has no spread");
  plan.correction = meta::correction_named(request.correction);
  if (!(request.gold_threshold >= 0)) throw_usage("the gold threshold must be 0 or more");
  if (request.tie_threshold && !(*request.tie_threshold >= 0))
    throw_usage("the tie threshold must be 0 or more");
  plan.options = {request.gold_threshold, request.tie_threshold};
  return plan;
}

void insert_value(const std::optional<double>& value, std::ptrdiff_t at, meta::CorrelationRow& row) {
  row.values.insert(row.values.begin() + at, value);
  if (!row.intervals.empty()) row.intervals.insert(row.intervals.begin() + at, std::nullopt);
}

/// Puts the values of soft accuracy into the rows, at their place among the coefficients.
void insert_soft_accuracy(const ScoreTable& table, const CorrelateRequest& request, std::size_t which,
                          const RunContext& context, std::vector<meta::CorrelationRow>& rows) {
  const auto columns =
      meta::soft_accuracy(table, {meta::SoftAccuracyOptions{}.permutations, request.seed}, context);
  std::size_t row = 0;
  const auto at = static_cast<std::ptrdiff_t>(which);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const meta::GroupedCoefficient& values = columns[c].values;
    for (const auto& value : values.groups) insert_value(value, at, rows[row++]);
    if (!table.group.empty()) {
      insert_value(values.mean, at, rows[row]);
      rows[row].averaged.insert(rows[row].averaged.begin() + at, values.averaged);
      ++row;
    }
    if (columns[c].segments_left_out > 0) {
      context.warn(fmt::format("{}: {} segments left out of soft-accuracy, not scored for every system",
                               table.predicted[c].name, columns[c].segments_left_out));
    }
  }
}

/// How many resamples intervals are made from; 0: none.
std::size_t interval_resamples(const CorrelateRequest& request) {
  const bool has_interval = !gives_pairs(request) && request.coefficients.front() != kSoftAccuracy &&
                            meta::has_intervals(meta::coefficient_named(request.coefficients.front()));
  return request.intervals.value_or(has_interval ? kUsualResamples : 0);
}

std::string signature(const CorrelateRequest& request, const report::CorrelationRun& run) {
  const bool pairs = gives_pairs(request);
  const std::string gold = fmt::format("{}", fmt::join(request.gold, ","));
  std::string text =
      fmt::format("correlate|gold:{}|level:{}|group:{}|coefficients:{}", pairs ? "pairs" : gold,
                  request.level, request.group.empty() ? "none" : request.group,
                  pairs ? std::string(name(Coefficient::kendall_like))
                        : fmt::format("{}", fmt::join(request.coefficients, ",")));
  if (pairs && !request.segment.empty()) text += fmt::format("|drawn:{}", request.segment);
  if (!run.drawn.empty()) text += "|drawn:" + run.drawn;
  if (request.min_rows) text += fmt::format("|min_rows:{}", *request.min_rows);
  const auto asked = [&](std::string_view name) {
    return !pairs && std::ranges::find(request.coefficients, name) != request.coefficients.end();
  };
  if (asked("kendall-like")) text += fmt::format("|gold_threshold:{}", request.gold_threshold);
  if (asked("accuracy")) {
    text += request.tie_threshold ? fmt::format("|ties:{}", *request.tie_threshold) : "|ties:calibrated";
  }
  if (asked(kSoftAccuracy)) text += fmt::format("|permutations:{}", meta::SoftAccuracyOptions{}.permutations);
  const std::size_t resamples = interval_resamples(request);
  const bool resampled = run.tests && run.tests->test != "williams";
  if (resamples > 0) text += fmt::format("|bs:{}", resamples);
  if (run.tests) {
    text += fmt::format("|test:{}|correction:{}", run.tests->test, request.correction);
    if (!run.lower_is_better.empty()) text += fmt::format("|turned:{}", fmt::join(run.lower_is_better, ","));
    if (resampled) text += fmt::format("|resamples:{}", request.resamples);
  }
  if (resamples > 0 || asked(kSoftAccuracy) || resampled) text += fmt::format("|seed:{}", request.seed);
  return text + fmt::format("|version:{}", version());
}

report::CorrelationPage make_page(const CorrelateRequest& request,
                                  std::vector<report::CorrelationPart> parts) {
  const auto& [run, table] = parts.front();
  report::CorrelationPage page;
  page.facts.title = run.predicted.size() == 1
                         ? fmt::format("{} against people", run.predicted.front())
                         : fmt::format("{} metrics against people", run.predicted.size());
  page.facts.summary = report::counted(table.rows(), request.level == "system" ? "system" : "row");
  if (!table.group.empty())
    page.facts.summary += ", " + report::counted(meta::rows_by_group(table).names.size(), "group");
  page.facts.inputs.push_back(
      page_input("table", request.columns.empty() ? Source(request.table) : Source(Texts{})));
  page.facts.warnings = run.warnings;
  page.parts = std::move(parts);
  return page;
}

/// Intervals of the whole request; by default only the first coefficient has one.
std::vector<std::vector<std::optional<Interval>>> intervals_of(const ScoreTable& table, const Plan& plan,
                                                               const CorrelateRequest& request,
                                                               const RunContext& context) {
  const std::size_t count = request.intervals ? plan.coefficients.size() : 1;
  auto intervals = meta::coefficient_intervals(table, std::span(plan.coefficients).first(count), plan.options,
                                               interval_resamples(request), request.seed, context);
  for (auto& row : intervals) row.resize(plan.coefficients.size());
  return intervals;
}

/// Which test the verdict rests on: the one asked for, or one that is cheap.
std::optional<meta::MetricTest> chosen_test(const Plan& plan, const CorrelateRequest& request,
                                            std::size_t columns) {
  if (plan.test || !request.test.empty()) return plan.test;
  const bool cheap = request.coefficients.front() == name(Coefficient::pearson);
  if (cheap && columns > 1) return meta::MetricTest::perm_both;
  return std::nullopt;
}

/// All that is computed for one column of human scores, which `table` has.
report::CorrelationRun correlate_one(const ScoreTable& table, const std::string& gold, const Plan& plan,
                                     const CorrelateRequest& request,
                                     const std::vector<std::string>& lower_is_better,
                                     const RunContext& context) {
  report::CorrelationRun run;
  run.gold = gold;
  run.coefficients = request.coefficients;
  for (const meta::PredictedColumn& column : table.predicted) run.predicted.push_back(column.name);
  run.rows = meta::correlate(table, plan.coefficients, plan.options);
  if (interval_resamples(request) > 0 && !plan.coefficients.empty()) {
    auto intervals = intervals_of(table, plan, request, context);
    for (std::size_t row = 0; row < run.rows.size(); ++row)
      run.rows[row].intervals = std::move(intervals[row]);
    const bool any = std::ranges::any_of(plan.coefficients, meta::has_intervals);
    if (any && !table.group.empty()) run.drawn = meta::draws_groups(table) ? "groups" : "rows";
  }
  if (plan.soft) insert_soft_accuracy(table, request, *plan.soft, context, run.rows);
  warn_of_gaps(run, table, request.gold_threshold, request.gold.size() > 1 ? " with " + gold : "", context);
  const auto test = chosen_test(plan, request, table.predicted.size());
  if (!test) return run;
  meta::MetricTestOptions options;
  options.resamples = request.resamples;
  options.seed = request.seed;
  options.correction = plan.correction;
  options.coefficient = plan.options;
  run.tests = report::CorrelationTests{
      std::string(name(*test)),
      request.coefficients[0],
      request.correction,
      lower_is_better,
      meta::compare_metrics(turned(table, lower_is_better), plan.coefficients[0], *test, options, context),
      plan.test.has_value()};
  return run;
}

}  // namespace

void check_correlation(const CorrelateRequest& request) {
  make_plan(request);
}

std::shared_ptr<CorrelationData> correlate(const CorrelateRequest& request, const Caller& caller,
                                           const Measure& measure) {
  const auto& [runtime, observer, cancel] = caller;
  Plan plan = make_plan(request);
  Listener listener(observer);
  const CancelScope stoppable(cancel);
  const RunContext context{runtime.pool, &listener, &listener};
  TableScores scores = read_score_table(request, caller, measure);
  context.find({FindingKind::replaced_parts, {input_name(request.table)}, {scores.counts.replaced}});
  if (scores.counts.quotes_off)
    context.find({FindingKind::other, {about_quotes(input_name(request.table))}, {}});
  if (request.columns.empty()) {
    for (const std::string& warning : learned_from(request.metrics, std::span(&request.table, 1)))
      context.warn(warning);
  }
  if (plan.test && scores.table.predicted.size() < 2)
    throw_usage("a test compares metrics: expected two or more of them");
  std::vector<report::CorrelationPart> parts;
  if (gives_pairs(request)) {
    parts.push_back({correlate_given_pairs(request, scores, interval_resamples(request), context), {}});
    warn_of_missing(parts.front().run.rows, "pairs", "", context);
  }
  for (std::size_t i = 0; i < request.gold.size(); ++i) {
    ScoreTable table = scores.table;
    table.gold = scores.gold[i];
    meta::validate(table);
    if (request.level == "system") table = meta::average_by_system(table);
    table = check_groups(std::move(table), request, request.gold[i], listener);
    report::CorrelationRun run =
        correlate_one(table, request.gold[i], plan, request, scores.lower_is_better, context);
    parts.push_back({std::move(run), std::move(table)});
  }
  for (std::string& warning : listener.take_warnings()) scores.warnings.push_back(std::move(warning));
  auto data = std::make_shared<CorrelationData>();
  for (auto& [run, table] : parts) {
    run.lower_is_better = scores.lower_is_better;
    run.from_table = request.predicted.size();
    run.of_systems = request.level == "system";
    run.verdict = report::verdict_of(run);
    run.signature = signature(request, run);
    run.metric_signatures = scores.signatures;
    run.warnings = scores.warnings;
    data->runs.push_back(run);
  }
  if (request.page) data->page = make_page(request, std::move(parts));
  return data;
}

}  // namespace markeval::score
