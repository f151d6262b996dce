// Ranks the metrics of a `correlate` run and puts the outcome of its test into a sentence.
#include "report/correlation_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace markeval::report {
namespace {

constexpr std::size_t kFewRows = 10;   ///< fewer: the verdict says so
constexpr std::size_t kMostVerdictNames = 4;  ///< more metrics are counted, not named

bool is_turned(const CorrelationRun& run, std::size_t predicted) {
  const auto& lower = run.lower_is_better;
  return std::find(lower.begin(), lower.end(), run.predicted[predicted]) != lower.end();
}

/// "a, b and c"; "a, b, c and 5 others".
std::string listed(std::vector<std::string> names) {
  if (names.size() > kMostVerdictNames + 1) {
    const std::size_t others = names.size() - kMostVerdictNames;
    names.resize(kMostVerdictNames);
    names.push_back(fmt::format("{} others", others));
  }
  const std::string last = names.back();
  names.pop_back();
  return names.empty() ? last : fmt::format("{} and {}", fmt::join(names, ", "), last);
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

/// "; bleu and ter cannot be told from it; rouge2.f1 is worse (perm-both, p <= 0.05 adjusted by holm)"
std::string test_sentence(const CorrelationRun& run, const std::vector<std::size_t>& order) {
  std::vector<std::string> equal, worse, by_group;
  for (const std::size_t other : std::span(order).subspan(1)) {
    const Outcome outcome = outcome_of(*run.tests, order.front(), other);
    const std::string& name = run.predicted[other];
    if (outcome.tests > 1) {
      by_group.push_back(fmt::format("{} in {} of {} groups", name, outcome.better, outcome.tests));
    } else if (outcome.tests == 1) {
      (outcome.better == 1 ? worse : equal).push_back(name);
    }
  }
  std::string out;
  if (!equal.empty()) out += fmt::format("; {} cannot be told from it", listed(equal));
  if (!worse.empty()) out += fmt::format("; {} {} worse", listed(worse), worse.size() == 1 ? "is" : "are");
  if (!by_group.empty()) out += fmt::format("; it is better than {}", listed(by_group));
  if (out.empty()) return "; no test could be made";
  return out +
         fmt::format(" ({}, p <= {} adjusted by {})", run.tests->test, kSeparated, run.tests->correction);
}

std::string agreement_sentence(const CorrelationRun& run, const std::vector<std::size_t>& order,
                               const meta::CorrelationRow& best) {
  const std::string people = run.gold.empty() ? "people's pairs" : run.gold,
                    &coefficient = run.coefficients.front();
  if (!best.values.front()) return fmt::format("No metric has a {} with {}.", coefficient, people);
  const double value = *best.values.front();
  std::string number = fmt::format("{} {:.2f}", coefficient, value);
  const auto& interval = best.intervals.empty() ? std::nullopt : best.intervals.front();
  if (interval) number += fmt::format(", 95 % between {:.2f} and {:.2f}", interval->low, interval->high);
  const bool correlation = !coefficient.ends_with("accuracy");  // these are shares of pairs
  const bool shown = !correlation || ((is_turned(run, order.front()) ? value < 0 : value > 0) &&
                                      !(interval && interval->low <= 0 && interval->high >= 0));
  if (order.size() == 1)
    return shown ? fmt::format("{} agrees with {} ({}).", best.predicted, people, number)
                 : fmt::format("{} does not show agreement with {} ({}).", best.predicted, people, number);
  if (!shown)
    return fmt::format("No metric shows agreement with {}: the highest is {} ({}).", people, best.predicted,
                       number);
  if (!run.tests)
    return fmt::format("{} is highest with {} ({}). No test was made: --test perm-both makes one.",
                       best.predicted, people, number);
  return fmt::format("{} agrees best with {} ({}){}.", best.predicted, people, number,
                     test_sentence(run, order));
}

}  // namespace

bool is_whole(const meta::CorrelationRow& row) {
  return !row.averaged.empty() || row.group == meta::kAllRows;
}

const meta::CorrelationRow& whole_row(const CorrelationRun& run, std::size_t predicted) {
  return *std::find_if(run.rows.begin(), run.rows.end(), [&](const meta::CorrelationRow& row) {
    return is_whole(row) && row.predicted == run.predicted[predicted];
  });
}

std::vector<std::size_t> best_metrics_first(const CorrelationRun& run) {
  std::vector<double> values;
  for (std::size_t i = 0; i < run.predicted.size(); ++i) {
    const auto& value = whole_row(run, i).values.front();
    values.push_back(!value              ? -std::numeric_limits<double>::infinity()
                     : is_turned(run, i) ? -*value
                                         : *value);
  }
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  return order;
}

std::string verdict_of(const CorrelationRun& run) {
  const std::vector<std::size_t> order = best_metrics_first(run);
  const meta::CorrelationRow& best = whole_row(run, order.front());
  std::string sentence = agreement_sentence(run, order, best);
  if (best.n < kFewRows) sentence += fmt::format(" Only {} values: too few to judge a metric by.", best.n);
  return sentence;
}

}  // namespace markeval::report
