#include "report/correlations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "base/json_text.hpp"
#include "base/version.hpp"
#include "report/cells.hpp"
#include "report/json_number.hpp"

namespace markeval::report {
namespace {

using Json = nlohmann::ordered_json;
using Number = std::optional<double>;

constexpr double kSeparated = 0.05;  ///< at most: what a matrix counts as better

std::string coefficient_text(const Number& value) {
  return value ? fmt::format("{:.4f}", *value) : "-";
}

std::string digits(const Number& value) {
  return value ? fmt::format("{}", *value) : "";
}

/// " [0.61, 0.69]", or nothing.
std::string interval_text(const meta::CorrelationRow& row, std::size_t coefficient) {
  if (row.intervals.empty() || !row.intervals[coefficient]) return "";
  const Interval& interval = *row.intervals[coefficient];
  return fmt::format(" [{:.4f}, {:.4f}]", interval.low, interval.high);
}

bool has_intervals(const CorrelationTests& tests) {
  return std::any_of(
      tests.differences.begin(), tests.differences.end(),
      [](const meta::MetricDifference& difference) { return difference.interval.has_value(); });
}

std::pair<Number, Number> ends_of(const meta::MetricDifference& difference) {
  if (!difference.interval) return {};
  return {difference.interval->low, difference.interval->high};
}

std::vector<std::pair<std::string, Number>> numbers_of(const meta::MetricDifference& difference,
                                                       bool intervals) {
  std::vector<std::pair<std::string, Number>> numbers{{"first_value", difference.first_value},
                                                      {"second_value", difference.second_value},
                                                      {"difference", difference.difference}};
  if (intervals) {
    const auto [low, high] = ends_of(difference);
    numbers.emplace_back("low", low);
    numbers.emplace_back("high", high);
  }
  numbers.emplace_back("p_value", difference.p_value);
  numbers.emplace_back("p_greater", difference.p_greater);
  numbers.emplace_back("p_adjusted", difference.p_adjusted);
  return numbers;
}

Json tests_to_json(const CorrelationRun& run) {
  Json list = Json::array();
  if (!run.tests) return list;
  const bool intervals = has_intervals(*run.tests);
  for (const meta::MetricDifference& difference : run.tests->differences) {
    Json entry;
    entry["test"] = run.tests->test;
    entry["coefficient"] = run.tests->coefficient;
    entry["group"] = difference.group;
    entry["first"] = run.predicted[difference.first];
    entry["second"] = run.predicted[difference.second];
    entry["n"] = difference.n;
    for (const auto& [name, value] : numbers_of(difference, intervals)) entry[name] = json_number(value);
    entry["correction"] = run.tests->correction;
    if (!run.tests->turned.empty()) entry["turned"] = run.tests->turned;
    if (difference.resamples > 0) entry["resamples"] = difference.resamples;
    list.push_back(std::move(entry));
  }
  return list;
}

std::string tests_to_text(const CorrelationRun& run) {
  const CorrelationTests& tests = *run.tests;
  const bool intervals = has_intervals(tests);
  std::vector<std::vector<std::string>> rows{{"first", "second", "group", "n", "difference"}};
  if (intervals) rows[0].insert(rows[0].end(), {"low", "high"});
  rows[0].insert(rows[0].end(), {"p", "p adjusted"});
  for (const meta::MetricDifference& difference : tests.differences) {
    std::vector<std::string>& row = rows.emplace_back();
    row = {run.predicted[difference.first], run.predicted[difference.second], difference.group,
           std::to_string(difference.n), coefficient_text(difference.difference)};
    if (intervals) {
      const auto [low, high] = ends_of(difference);
      row.insert(row.end(), {coefficient_text(low), coefficient_text(high)});
    }
    row.insert(row.end(), {probability(difference.p_value), probability(difference.p_adjusted)});
  }
  const std::string note = turned_note(tests);
  return fmt::format("\n{} of {}, two-sided, adjusted by {}\n{}{}", tests.test, tests.coefficient,
                     tests.correction, note.empty() ? "" : note + "\n", align(rows, 3));
}

std::string matrix_cell(const CorrelationTests& tests, std::size_t row, std::size_t column,
                        std::size_t groups) {
  std::size_t separated = 0;
  std::string p;
  for (const meta::MetricDifference& one : tests.differences) {
    const bool forwards = one.first == row && one.second == column;
    if (!(forwards || (one.first == column && one.second == row)) || !one.difference) continue;
    if (forwards ? *one.difference <= 0 : *one.difference >= 0) continue;
    p = probability(one.p_adjusted);
    if (one.p_adjusted.value_or(1) <= kSeparated) ++separated;
  }
  if (groups == 1) return p;
  return separated == 0 ? "" : std::to_string(separated);
}

/// One matrix for all pairs, the best metric first: in a row the p-values against those it beats, or, of
/// several groups, in how many of them it is separated.
std::string matrix_to_text(const CorrelationRun& run) {
  const CorrelationTests& tests = *run.tests;
  std::vector<std::string> groups;
  std::vector<double> sums(run.predicted.size());
  for (const meta::MetricDifference& one : tests.differences) {
    if (std::find(groups.begin(), groups.end(), one.group) == groups.end()) groups.push_back(one.group);
    sums[one.first] += one.first_value.value_or(0);
    sums[one.second] += one.second_value.value_or(0);
  }
  std::vector<std::size_t> order(run.predicted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sums[a] > sums[b]; });
  std::vector<std::vector<std::string>> rows{{""}};
  for (std::size_t column = 0; column < order.size(); ++column)
    rows[0].push_back(fmt::format("({})", column + 1));
  for (std::size_t row = 0; row < order.size(); ++row) {
    rows.push_back({fmt::format("({}) {}", row + 1, run.predicted[order[row]])});
    for (std::size_t column = 0; column < order.size(); ++column)
      rows.back().push_back(row == column ? "."
                                          : matrix_cell(tests, order[row], order[column], groups.size()));
  }
  const std::string note = turned_note(tests);
  return fmt::format(
      "\n{} of {}, two-sided, adjusted by {}: {}\n{}{}", tests.test, tests.coefficient, tests.correction,
      groups.size() == 1
          ? "p where the row is better than the column"
          : fmt::format("in how many of {} groups the row is better, p <= {}", groups.size(), kSeparated),
      note.empty() ? "" : note + "\n", align(rows, 1));
}

}  // namespace

std::string turned_note(const CorrelationTests& tests) {
  if (tests.turned.empty()) return "";
  return fmt::format("lower is better: the test turns the sign of {}", fmt::join(tests.turned, ", "));
}

std::string to_text(const CorrelationRun& run) {
  std::vector<std::vector<std::string>> rows{{"predicted", "group", "n"}};
  rows[0].insert(rows[0].end(), run.coefficients.begin(), run.coefficients.end());
  for (const meta::CorrelationRow& row : run.rows) {
    rows.push_back({row.predicted, row.group, std::to_string(row.n)});
    for (std::size_t i = 0; i < row.values.size(); ++i)
      rows.back().push_back(coefficient_text(row.values[i]) + interval_text(row, i));
  }
  std::string out = align(rows, 2);
  if (run.tests) out += run.predicted.size() > 2 ? matrix_to_text(run) : tests_to_text(run);
  out += "signature: " + run.signature + "\n";
  for (const std::string& signature : run.metric_signatures) out += "signature: " + signature + "\n";
  return out;
}

std::string to_json(const CorrelationRun& run) {
  Json json;
  json["markeval"] = version();
  json["results"] = Json::array();
  for (const meta::CorrelationRow& row : run.rows) {
    Json entry;
    entry["predicted"] = row.predicted;
    entry["group"] = row.group;
    entry["n"] = row.n;
    entry["missing"] = row.missing;
    for (std::size_t i = 0; i < run.coefficients.size(); ++i)
      entry[run.coefficients[i]] = json_number(row.values[i]);
    for (std::size_t i = 0; i < row.intervals.size(); ++i) {
      const auto& interval = row.intervals[i];
      entry["ci"][run.coefficients[i]] = interval ? Json{interval->low, interval->high} : Json(nullptr);
    }
    if (row.tie_threshold) entry["tie_threshold"] = *row.tie_threshold;
    for (std::size_t i = 0; i < row.averaged.size(); ++i)
      entry["groups"][run.coefficients[i]] = row.averaged[i];
    json["results"].push_back(std::move(entry));
  }
  json["tests"] = tests_to_json(run);
  json["signature"] = run.signature;
  if (!run.metric_signatures.empty()) json["metric_signatures"] = run.metric_signatures;
  json["warnings"] = run.warnings;
  // Names need not be valid UTF-8 where the reader was told to let them pass; JSON has to be.
  return json_text(json, 1) + "\n";
}

std::string to_tsv(const CorrelationRun& run) {
  std::string out = "predicted\tgroup\tn\tresult\tvalue\n";
  const auto line = [&out](const std::string& predicted, const std::string& group, std::size_t n,
                           const std::string& result, const Number& value) {
    out +=
        fmt::format("{}\t{}\t{}\t{}\t{}\n", tsv_field(predicted), tsv_field(group), n, result, digits(value));
  };
  for (const meta::CorrelationRow& row : run.rows) {
    for (std::size_t i = 0; i < run.coefficients.size(); ++i) {
      line(row.predicted, row.group, row.n, run.coefficients[i], row.values[i]);
      if (row.intervals.empty() || !row.intervals[i]) continue;
      line(row.predicted, row.group, row.n, run.coefficients[i] + ".low", row.intervals[i]->low);
      line(row.predicted, row.group, row.n, run.coefficients[i] + ".high", row.intervals[i]->high);
    }
  }
  if (!run.tests) return out;
  const bool intervals = has_intervals(*run.tests);
  for (const meta::MetricDifference& difference : run.tests->differences) {
    const std::string pair = run.predicted[difference.first] + " - " + run.predicted[difference.second];
    for (const auto& [name, value] : numbers_of(difference, intervals)) {
      line(pair, difference.group, difference.n, run.tests->test + "." + run.tests->coefficient + "." + name,
           value);
    }
  }
  return out;
}

}  // namespace markeval::report
