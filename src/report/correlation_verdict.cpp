// Ranks the metrics of a `correlate` run and puts the outcome of its test into sentences.
#include "report/correlation_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "report/cells.hpp"
#include "report/correlation_direction.hpp"

namespace markeval::report {
namespace {

constexpr std::size_t kFewRows = 10;  ///< fewer: the verdict has a warning
constexpr const char* kOthers = "other metrics";

std::string people_of(const CorrelationRun& run) {
  return run.gold.empty() ? "people's pairs" : run.gold;
}

/// In how many tests the best metric is separated from the other: 0 or 1, more where groups are tested.
struct Outcome {
  std::size_t tests = 0, better = 0;
};

Outcome outcome_of(const CorrelationTests& tests, std::size_t best, std::size_t other) {
  Outcome outcome;
  for (const meta::MetricDifference& one : tests.differences) {
    const bool forwards = one.first == best && one.second == other;
    if (!(forwards || (one.first == other && one.second == best)) || !one.difference || !one.p_adjusted)
      continue;
    ++outcome.tests;
    if (*one.p_adjusted <= kSeparated && (forwards ? *one.difference > 0 : *one.difference < 0))
      ++outcome.better;
  }
  return outcome;
}

/// " (perm-both test, p at most 0.05 after Holm's correction)"
std::string about_test(const CorrelationTests& tests, bool found) {
  const std::string correction = tests.correction == "holm" ? " after Holm's correction"
                                 : tests.correction == "bh" ? " after Benjamini and Hochberg's correction"
                                                            : "";
  return fmt::format(" ({} test, p {} {}{})", tests.test, found ? "at most" : "above", kSeparated,
                     correction);
}

/// What the test says of the best metric beside the others.
struct BesideOthers {
  std::string text;  ///< " No difference found to bleu and ter. Worse: rouge2.f1 (perm-both test, ...)."
  bool any_worse = false;
  bool all_worse = false;
};

BesideOthers compare_with(const CorrelationRun& run, std::span<const std::size_t> order) {
  std::vector<std::string> equal, worse, by_group;
  Outcome of_groups;
  for (const std::size_t other : order.subspan(1)) {
    const Outcome outcome = outcome_of(*run.tests, order.front(), other);
    const std::string& name = run.predicted[other];
    if (outcome.tests > 1) {
      by_group.push_back(fmt::format("{} in {} of {} groups", name, outcome.better, outcome.tests));
      of_groups.tests += outcome.tests;
      of_groups.better += outcome.better;
    } else if (outcome.tests == 1) {
      (outcome.better == 1 ? worse : equal).push_back(name);
    }
  }
  if (equal.empty() && worse.empty() && by_group.empty()) return {" No test could be made."};
  std::vector<std::string> parts;
  if (!equal.empty()) parts.push_back("No difference found to " + few_names(equal, kOthers, kNamesInVerdict));
  if (!worse.empty()) parts.push_back("Worse: " + few_names(worse, kOthers, kNamesInVerdict));
  if (!by_group.empty()) {
    const std::string many = fmt::format("{} in {} of {} tests", kOthers, of_groups.better, of_groups.tests);
    parts.push_back("Better than " + few_names(by_group, many));
  }
  BesideOthers found;
  found.any_worse = !worse.empty() || of_groups.better > 0;
  found.all_worse = equal.empty() && of_groups.better == of_groups.tests;
  for (const std::string& part : parts) found.text += (found.text.empty() ? " " : ". ") + part;
  found.text += about_test(*run.tests, !worse.empty() || !by_group.empty()) + ".";
  return found;
}

bool is_learned(const CorrelationRun& run, std::size_t column) {
  return std::ranges::find(run.learned, run.predicted[column]) != run.learned.end();
}

std::vector<std::size_t> columns_with(const CorrelationRun& run, std::span<const std::size_t> order,
                                      Direction direction) {
  std::vector<std::size_t> columns;
  std::ranges::copy_if(order, std::back_inserter(columns),
                       [&](std::size_t column) { return direction_of(run, column) == direction; });
  return columns;
}

/// " ter shows no agreement." behind a verdict on the best metric.
std::string without_agreement(const CorrelationRun& run, std::span<const std::size_t> order) {
  std::vector<std::string> names;
  for (const std::size_t column : columns_with(run, order, Direction::unclear))
    names.push_back(run.predicted[column]);
  if (names.empty()) return "";
  return fmt::format(" {} {} no agreement.", few_names(names, kOthers, kNamesInVerdict),
                     names.size() == 1 ? "shows" : "show");
}

/// "pearson 0.62, 95 % between 0.41 and 0.78", where lower is better "pearson 0.62 with its sign turned".
std::string number_of(const CorrelationRun& run, std::size_t column) {
  const bool turned = is_turned(run, column) && direction_of(run, column) != Direction::reversed;
  const double sign = turned ? -1 : 1;
  const meta::CorrelationRow& row = whole_row(run, column);
  std::string number =
      fmt::format("{} {}{}", run.coefficients.front(), fixed_number(sign * row.values.front().value_or(0), 2),
                  turned ? " with its sign turned" : "");
  if (row.intervals.empty() || !row.intervals.front()) return number;
  const auto [low, high] =
      std::minmax({sign * row.intervals.front()->low, sign * row.intervals.front()->high});
  return number + fmt::format(", 95 % between {:.2f} and {:.2f}", low, high);
}

VerdictParts of_one_metric(const CorrelationRun& run, std::size_t metric) {
  const char* words =
      direction_of(run, metric) == Direction::agrees ? "agrees with" : "does not show agreement with";
  return {fmt::format("{} {} {}", run.predicted[metric], words, people_of(run)), number_of(run, metric), ""};
}

/// The verdict on two metrics or more that are not reversed, the best first.
VerdictParts of_ranking(const CorrelationRun& run, std::span<const std::size_t> order) {
  const std::size_t best = order.front();
  const std::string& name = run.predicted[best];
  const std::string people = people_of(run), number = number_of(run, best);
  if (direction_of(run, best) != Direction::agrees)
    return {"No metric shows agreement with " + people, "", fmt::format(" Highest: {} ({}).", name, number)};
  if (!run.tests)
    return {fmt::format("Highest with {}: {}", people, name), number,
            " No test was made: --test perm-both makes one."};
  const BesideOthers found = compare_with(run, order);
  const std::string rest = found.text + without_agreement(run, order.subspan(1));
  if (found.all_worse) return {fmt::format("{} agrees best with {}", name, people), number, rest, best};
  if (found.any_worse) return {fmt::format("Highest with {}: {}", people, name), number, rest};
  return {"No metric is clearly best for " + people, "",
          fmt::format(" Highest: {} ({}).{}", name, number, rest)};
}

/// All of two metrics or more are reversed: the human scores may be what is better low.
VerdictParts of_reversed_people(const CorrelationRun& run, std::span<const std::size_t> order) {
  return {fmt::format("All metrics order the {} the other way round", run.of_systems ? "systems" : "texts"),
          numbers_of(run, order),
          fmt::format(" If lower numbers of {} are better, turn their sign.{}", people_of(run),
                      reversed_hint(run, order))};
}

/// " Highest of the others: mine (pearson 0.47). ...", behind a column that would lead.
std::string of_the_others(const CorrelationRun& run, std::span<const std::size_t> order) {
  const std::size_t best = order.front();
  const std::string number = number_of(run, best);
  if (direction_of(run, best) != Direction::agrees)
    return fmt::format(" No other metric shows agreement with {}: the highest is {} ({}).", people_of(run),
                       run.predicted[best], number);
  const std::string compared = run.tests && order.size() > 1 ? compare_with(run, order).text : "";
  return fmt::format(" Highest of the others: {} ({}).{}{}", run.predicted[best], number, compared,
                     without_agreement(run, order.subspan(1)));
}

VerdictParts verdict_without_size(const CorrelationRun& run) {
  std::vector<std::size_t> order = best_metrics_first(run);
  std::erase_if(order, [&](std::size_t column) { return is_learned(run, column); });
  if (order.empty())
    return {fmt::format("No verdict: {} learned from these texts", few_names(run.learned, "all metrics")), "",
            ""};
  if (!whole_row(run, order.front()).values.front())
    return {fmt::format("No metric has a {} with {}", run.coefficients.front(), people_of(run)), "", ""};
  const std::vector<std::size_t> reversed = columns_with(run, order, Direction::reversed);
  if (order.size() > 1 && reversed.size() == order.size()) return of_reversed_people(run, order);
  std::erase_if(order,
                [&](std::size_t column) { return std::ranges::find(reversed, column) != reversed.end(); });
  if (reversed.empty()) return order.size() == 1 ? of_one_metric(run, order.front()) : of_ranking(run, order);
  const std::string title = reversed_title(run, reversed), hint = reversed_hint(run, reversed);
  const std::string numbers = numbers_of(run, reversed);
  if (order.empty()) return {title, number_of(run, reversed.front()), hint};
  if (best_if_turned(run)) return {title, numbers, hint + of_the_others(run, order)};
  VerdictParts parts = order.size() == 1 ? of_one_metric(run, order.front()) : of_ranking(run, order);
  parts.rest += fmt::format(" {} ({}).{}", title, numbers, hint);
  return parts;
}

/// "3 of 4 judgements"
std::string share_of(std::size_t count, std::size_t all) {
  if (count == all) return all == 2 ? "both judgements" : fmt::format("all {} judgements", all);
  return fmt::format("{} of {} judgements", count == 0 ? "none" : std::to_string(count), all);
}

}  // namespace

bool is_whole(const meta::CorrelationRow& row) {
  return !row.averaged.empty() || row.group == meta::kAllRows;
}

const meta::CorrelationRow& whole_row(const CorrelationRun& run, std::size_t predicted) {
  return *std::ranges::find_if(run.rows, [&](const meta::CorrelationRow& row) {
    return is_whole(row) && row.predicted == run.predicted[predicted];
  });
}

std::vector<std::size_t> best_metrics_first(const CorrelationRun& run) {
  std::vector<double> values;
  for (std::size_t i = 0; i < run.predicted.size(); ++i)
    values.push_back(turned_value(run, i).value_or(-std::numeric_limits<double>::infinity()));
  std::vector<std::size_t> order = best_first(values, true);
  std::stable_partition(order.begin(), order.end(),
                        [&](std::size_t column) { return !is_learned(run, column); });
  return order;
}

VerdictParts verdict_parts(const CorrelationRun& run) {
  VerdictParts parts = verdict_without_size(run);
  const std::size_t rows = whole_row(run, best_metrics_first(run).front()).n;
  if (!run.learned.empty() && run.learned.size() < run.predicted.size())
    parts.rest += fmt::format(" Left out: {}, learned from these texts.", few_names(run.learned, "metrics"));
  if (rows < kFewRows) parts.rest += fmt::format(" Only {} values: too few to judge a metric by.", rows);
  return parts;
}

std::string verdict_of(const CorrelationRun& run) {
  const VerdictParts parts = verdict_parts(run);
  return parts.title + (parts.number.empty() ? "" : " (" + parts.number + ")") + "." + parts.rest;
}

std::string title_of_all(std::span<const CorrelationRun* const> runs) {
  const CorrelationRun& first = *runs.front();
  std::vector<std::size_t> best;
  std::size_t agreeing = 0;
  bool tested = false;
  for (const CorrelationRun* run : runs) {
    const VerdictParts parts = verdict_parts(*run);
    if (run->predicted.size() > 1 && best_if_turned(*run)) return parts.title;
    if (parts.best) best.push_back(*parts.best);
    agreeing += direction_of(*run, 0) == Direction::agrees ? 1 : 0;
    tested = tested || run->tests.has_value();
  }
  if (first.predicted.size() == 1)
    return fmt::format("{} shows agreement with {}", first.predicted.front(),
                       share_of(agreeing, runs.size()));
  if (!tested) return "";
  const std::size_t unclear = runs.size() - best.size();
  if (unclear == runs.size()) return fmt::format("No metric clearly best for any of {} judgements", unclear);
  if (unclear > 0) return "No metric clearly best for " + share_of(unclear, runs.size());
  if (std::ranges::count(best, best.front()) == std::ssize(best))
    return fmt::format("{} agrees best with {}", first.predicted[best.front()],
                       share_of(runs.size(), runs.size()));
  return fmt::format("No metric is best for {}", share_of(runs.size(), runs.size()));
}

}  // namespace markeval::report
