#include "api/correlate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "api/evaluator_state.hpp"
#include "api/html_report.hpp"
#include "api/judged_pairs.hpp"
#include "api/listener.hpp"
#include "api/markeval.hpp"
#include "api/table_scores.hpp"
#include "base/cancellation.hpp"
#include "base/input_bytes.hpp"
#include "base/run_context.hpp"
#include "base/suggestion.hpp"
#include "meta/coefficient_intervals.hpp"
#include "meta/soft_accuracy_table.hpp"
#include "report/correlations.hpp"
#include "report/html_correlation.hpp"
#include "report/html_text.hpp"

namespace markeval {

struct CorrelationReport::State {
  report::CorrelationRun run;
  std::optional<report::CorrelationPage> page;  ///< where asked for
};

namespace {

using meta::Coefficient;
using meta::ScoreTable;

constexpr std::string_view kSoftAccuracy = "soft-accuracy";

/// The words of a request, checked before anything is read.
struct Plan {
  std::vector<Coefficient> coefficients;  // without soft-accuracy
  std::optional<std::size_t> soft;        // its place among the names asked for
  std::optional<meta::MetricTest> test;
  meta::Correction correction = meta::Correction::holm;
  meta::CoefficientOptions options;
};

void require_word(std::string_view what, const std::string& word, std::span<const std::string> known) {
  if (std::find(known.begin(), known.end(), word) != known.end()) return;
  throw_usage(fmt::format("unknown {} '{}'{}", what, word, suggestion(word, known)));
}

Plan make_plan(const CorrelateRequest& request) {
  Plan plan;
  std::vector<std::string> known = meta::coefficient_names();
  known.emplace_back(kSoftAccuracy);
  if (request.coefficients.empty()) throw_usage("no coefficient given");
  if (gives_pairs(request)) check_pairs(request);
  for (std::size_t i = 0; i < request.coefficients.size(); ++i) {
    const std::string& name = request.coefficients[i];
    require_word("coefficient", name, known);
    if (std::count(request.coefficients.begin(), request.coefficients.end(), name) > 1) {
      throw_usage(fmt::format("coefficient '{}' is asked for twice", name));
    }
    if (name == kSoftAccuracy) {
      plan.soft = i;
    } else {
      plan.coefficients.push_back(meta::coefficient_named(name));
    }
  }
  require_word("level", request.level, std::array<std::string, 2>{"segment", "system"});
  if (plan.soft && request.level == "system")
    throw_usage("soft-accuracy is of systems already: leave out level system");
  if (plan.soft && (request.system.empty() || request.segment.empty())) {
    throw_usage("soft-accuracy needs --system COLUMN and --segment COLUMN");
  }
  if (request.level == "system" && request.system.empty())
    throw_usage("level system needs the column of systems");
  if (!request.test.empty()) {
    plan.test = meta::metric_test_named(request.test);
    if (plan.soft == std::size_t{0})
      throw_usage("no test is made for soft-accuracy; name another coefficient first");
  }
  plan.correction = meta::correction_named(request.correction);
  if (!(request.gold_threshold >= 0)) throw_usage("the gold threshold must be 0 or more");
  if (request.tie_threshold && !(*request.tie_threshold >= 0))
    throw_usage("the tie threshold must be 0 or more");
  plan.options = {request.gold_threshold, request.tie_threshold};
  return plan;
}

/// Groups of fewer complete rows than a coefficient needs: an error, or left out where the user said so.
ScoreTable check_groups(ScoreTable table, const CorrelateRequest& request, LogSink& log) {
  const std::size_t least = request.min_rows.value_or(2);
  const meta::RowGroups groups = meta::rows_by_group(table);
  std::vector<char> keep(table.rows(), 1);
  std::size_t left_out = 0;
  for (std::size_t g = 0; g < groups.names.size(); ++g) {
    for (const meta::PredictedColumn& column : table.predicted) {
      const auto complete = static_cast<std::size_t>(std::count_if(
          groups.rows[g].begin(), groups.rows[g].end(),
          [&](std::uint32_t row) { return table.gold[row].has_value() && column.values[row].has_value(); }));
      if (complete >= least) continue;
      if (!request.min_rows || table.group.empty()) {
        throw_invalid(
            fmt::format("{}: {} has {} {}{} with both '{}' and '{}', expected at least {}", request.table,
                        table.group.empty() ? "the table" : fmt::format("group '{}'", groups.names[g]),
                        complete, request.level == "system" ? "system" : "row", complete == 1 ? "" : "s",
                        request.gold, column.name, std::max<std::size_t>(least, 2)));
      }
      for (const std::uint32_t row : groups.rows[g]) keep[row] = 0;
      ++left_out;
      break;
    }
  }
  if (left_out == 0) return table;
  if (left_out == groups.names.size()) {
    throw_invalid(fmt::format("{}: none of {} groups has {} complete rows", request.table, left_out, least));
  }
  log.warning(fmt::format("{}: {} of {} groups left out, fewer than {} complete rows", request.table,
                          left_out, groups.names.size(), least));
  const auto filter = [&keep](auto& values) {
    std::size_t kept = 0;
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (keep[row] == 0) continue;
      if (kept != row) values[kept] = std::move(values[row]);
      ++kept;
    }
    values.resize(kept);
  };
  filter(table.gold);
  filter(table.group);
  filter(table.system);
  filter(table.segment);
  for (meta::PredictedColumn& column : table.predicted) filter(column.values);
  return table;
}

void insert_value(const std::optional<double>& value, std::ptrdiff_t at, meta::CorrelationRow& row) {
  row.values.insert(row.values.begin() + at, value);
  if (!row.intervals.empty()) row.intervals.insert(row.intervals.begin() + at, std::nullopt);
}

/// Puts the values of soft accuracy into the rows, at their place among the coefficients.
void insert_soft_accuracy(const ScoreTable& table, const CorrelateRequest& request, std::size_t place,
                          const RunContext& context, std::vector<meta::CorrelationRow>& rows) {
  const auto columns =
      meta::soft_accuracy(table, {meta::SoftAccuracyOptions{}.permutations, request.seed}, context);
  std::size_t row = 0;
  const auto at = static_cast<std::ptrdiff_t>(place);
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

/// Why kendall-like has no value at all.
std::string unjudged_pairs(const ScoreTable& table, double threshold) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const auto& value : table.gold) {
    if (value) low = std::min(low, *value), high = std::max(high, *value);
  }
  return fmt::format(
      "kendall-like: no two human scores{} are {} apart (they range from {} to {}), "
      "--gold-threshold X judges closer ones",
      table.group.empty() ? "" : " of a group", threshold, low, high);
}

/// `what` a row of numbers counts: rows, pairs.
void warn_of_missing(const std::vector<meta::CorrelationRow>& rows, std::string_view what,
                     const RunContext& context) {
  for (const meta::CorrelationRow& row : rows) {
    if (row.missing == 0 || (row.group != meta::kMeanRow && row.group != meta::kAllRows)) continue;
    context.warn(fmt::format("{}: {} of {} {} left out, a value is missing", row.predicted, row.missing,
                             row.missing + row.n, what));
  }
}

void warn_of_gaps(const std::vector<meta::CorrelationRow>& rows, const std::vector<std::string>& coefficients,
                  const ScoreTable& table, double threshold, const RunContext& context) {
  const std::size_t groups = meta::rows_by_group(table).names.size();
  const auto like =
      std::find(coefficients.begin(), coefficients.end(), "kendall-like") - coefficients.begin();
  const bool unjudged = like < std::ssize(coefficients) &&
                        std::none_of(rows.begin(), rows.end(), [&](const meta::CorrelationRow& row) {
                          return row.values[static_cast<std::size_t>(like)].has_value();
                        });
  if (unjudged) context.warn(unjudged_pairs(table, threshold));
  warn_of_missing(rows, "rows", context);
  for (const meta::CorrelationRow& row : rows) {
    const bool whole = row.averaged.empty();
    for (std::size_t i = 0; i < row.averaged.size(); ++i) {
      if (row.averaged[i] == groups || (unjudged && static_cast<std::ptrdiff_t>(i) == like)) continue;
      context.warn(fmt::format("{}: {} of {} groups without {} left out of its mean", row.predicted,
                               groups - row.averaged[i], groups, coefficients[i]));
    }
    for (std::size_t i = 0; whole && row.group == meta::kAllRows && i < row.values.size(); ++i) {
      if (!row.values[i] && !(unjudged && static_cast<std::ptrdiff_t>(i) == like))
        context.warn(fmt::format("{}: {} is not defined for these values", row.predicted, coefficients[i]));
    }
  }
}

std::string signature(const CorrelateRequest& request, const std::vector<std::string>& lower_is_better) {
  const bool pairs = gives_pairs(request);
  std::string text =
      fmt::format("correlate|gold:{}|level:{}|group:{}|coefficients:{}", pairs ? "pairs" : request.gold,
                  request.level, request.group.empty() ? "none" : request.group,
                  pairs ? std::string(name(Coefficient::kendall_like))
                        : fmt::format("{}", fmt::join(request.coefficients, ",")));
  if (pairs && !request.segment.empty()) text += fmt::format("|drawn:{}", request.segment);
  if (request.min_rows) text += fmt::format("|min_rows:{}", *request.min_rows);
  const auto asked = [&](std::string_view name) {
    return !pairs && std::find(request.coefficients.begin(), request.coefficients.end(), name) !=
                         request.coefficients.end();
  };
  if (asked("kendall-like")) text += fmt::format("|gold_threshold:{}", request.gold_threshold);
  if (asked("accuracy")) {
    text += request.tie_threshold ? fmt::format("|ties:{}", *request.tie_threshold) : "|ties:calibrated";
  }
  if (asked(kSoftAccuracy)) text += fmt::format("|permutations:{}", meta::SoftAccuracyOptions{}.permutations);
  if (request.intervals > 0) text += fmt::format("|bs:{}", request.intervals);
  if (!request.test.empty()) {
    text += fmt::format("|test:{}|correction:{}", request.test, request.correction);
    if (!lower_is_better.empty()) text += fmt::format("|turned:{}", fmt::join(lower_is_better, ","));
    if (request.test != "williams") text += fmt::format("|resamples:{}", request.resamples);
  }
  if (request.intervals > 0 || asked(kSoftAccuracy) ||
      (!request.test.empty() && request.test != "williams")) {
    text += fmt::format("|seed:{}", request.seed);
  }
  return text + fmt::format("|version:{}", version());
}

report::CorrelationPage make_page(const CorrelateRequest& request, const report::CorrelationRun& run,
                                  ScoreTable table) {
  report::CorrelationPage page;
  page.facts.title = run.predicted.size() == 1
                         ? fmt::format("{} against people", run.predicted.front())
                         : fmt::format("{} metrics against people", run.predicted.size());
  page.facts.summary =
      fmt::format("{}, {}", report::counted(table.rows(), request.level == "system" ? "system" : "row"),
                  report::counted(meta::rows_by_group(table).names.size(), "group"));
  page.facts.inputs.push_back(
      page_input("table", request.columns.empty() ? Source(request.table) : Source(Texts{})));
  page.facts.warnings = run.warnings;
  page.run = run;
  page.gold = request.gold;
  page.table = std::move(table);
  return page;
}

}  // namespace

CorrelationReport correlate(const CorrelateRequest& request, const Settings& settings, Observer* observer,
                            const std::atomic<bool>* cancel) {
  make_plan(request);  // words are wrong before machines are
  return Evaluator(settings).correlate(request, observer, cancel);
}

CorrelationReport Evaluator::correlate(const CorrelateRequest& request, Observer* observer,
                                       const std::atomic<bool>* cancel) {
  const Plan plan = make_plan(request);
  Listener listener(observer);
  const CancelScope stoppable(cancel);
  const RunContext context{state_->pool, &listener, &listener, cancel};
  TableScores scores = read_score_table(request, *this, observer, cancel);
  context.find({FindingKind::replaced_parts, {input_name(request.table)}, {scores.replaced}});
  ScoreTable& table = scores.table;
  if (plan.test && table.predicted.size() < 2)
    throw_usage("a test compares metrics: expected two or more of them");
  if (request.intervals == 1) throw_usage("intervals 1, expected at least 2 resamples: one has no spread");
  auto data = std::make_shared<CorrelationReport::State>();
  report::CorrelationRun& run = data->run;
  const auto finish = [&] {
    run.signature = signature(request, scores.lower_is_better);
    run.metric_signatures = std::move(scores.signatures);
    run.warnings = std::move(scores.warnings);
    for (std::string& warning : listener.take_warnings()) run.warnings.push_back(std::move(warning));
  };
  if (gives_pairs(request)) {
    run = correlate_given_pairs(request, scores, context);
    warn_of_missing(run.rows, "pairs", context);
    finish();
    return CorrelationReport(std::move(data));
  }
  meta::validate(table);
  if (request.level == "system") table = meta::average_by_system(table);
  table = check_groups(std::move(table), request, listener);

  run.coefficients = request.coefficients;
  for (const meta::PredictedColumn& column : table.predicted) run.predicted.push_back(column.name);
  run.rows = meta::correlate(table, plan.coefficients, plan.options);
  if (request.intervals > 0 && !plan.coefficients.empty()) {
    auto intervals = meta::coefficient_intervals(table, plan.coefficients, plan.options, request.intervals,
                                                 request.seed, context);
    for (std::size_t row = 0; row < run.rows.size(); ++row)
      run.rows[row].intervals = std::move(intervals[row]);
  }
  if (plan.soft) insert_soft_accuracy(table, request, *plan.soft, context, run.rows);
  warn_of_gaps(run.rows, run.coefficients, table, request.gold_threshold, context);
  if (plan.test) {
    meta::MetricTestOptions options;
    options.resamples = request.resamples;
    options.seed = request.seed;
    options.correction = plan.correction;
    options.coefficient = plan.options;
    run.tests = report::CorrelationTests{
        request.test, request.coefficients[0], request.correction, scores.lower_is_better,
        meta::compare_metrics(turned(table, scores.lower_is_better), plan.coefficients[0], *plan.test,
                              options, context)};
  }
  finish();
  if (request.page) data->page = make_page(request, run, std::move(table));
  return CorrelationReport(std::move(data));
}

CorrelationReport::CorrelationReport(std::shared_ptr<const State> data) : state_(std::move(data)) {}

std::optional<double> CorrelationReport::value(std::string_view predicted, std::string_view group,
                                               std::string_view coefficient) const {
  const auto& names = state_->run.coefficients;
  const auto found = std::find(names.begin(), names.end(), coefficient);
  for (const meta::CorrelationRow& row : state_->run.rows) {
    if (found == names.end() || row.predicted != predicted || row.group != group) continue;
    return row.values[static_cast<std::size_t>(found - names.begin())];
  }
  throw_usage(fmt::format("no {} of '{}' in group '{}' in this report", coefficient, predicted, group));
}

const std::vector<std::string>& CorrelationReport::warnings() const {
  return state_->run.warnings;
}
std::string CorrelationReport::text() const {
  return report::to_text(state_->run);
}
std::string CorrelationReport::json() const {
  return report::to_json(state_->run);
}
std::string CorrelationReport::html(const std::vector<std::string>& command) const {
  if (!state_->page) throw_usage("no page was asked for");
  report::CorrelationPage page = *state_->page;
  page.facts.command = command;
  return report::correlation_page(page);
}
std::string CorrelationReport::tsv() const {
  return report::to_tsv(state_->run);
}

}  // namespace markeval
