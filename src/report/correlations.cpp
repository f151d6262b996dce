// What `correlate` found as JSON and TSV.
#include "report/correlations.hpp"

#include <algorithm>
#include <utility>

#include "base/json.hpp"
#include "base/version.hpp"
#include "report/json_number.hpp"
#include "report/table_data.hpp"

namespace markeval::report {
namespace {

using Json = nlohmann::ordered_json;
using Number = std::optional<double>;

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

void add_tests(const CorrelationRun& run, bool several, Json& list) {
  if (!run.tests) return;
  const bool intervals = has_intervals(*run.tests);
  for (const meta::MetricDifference& difference : run.tests->differences) {
    Json entry;
    if (several) entry["gold"] = run.gold;
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
}

void add_results(const CorrelationRun& run, bool several, Json& list) {
  for (const meta::CorrelationRow& row : run.rows) {
    Json entry;
    if (several) entry["gold"] = run.gold;
    entry["predicted"] = row.predicted;
    entry["group"] = row.group;
    entry["n"] = row.n;
    entry["missing"] = row.missing;
    for (std::size_t i = 0; i < run.coefficients.size(); ++i)
      entry[run.coefficients[i]] = json_number(row.values[i]);
    for (std::size_t i = 0; i < row.intervals.size(); ++i) {
      const auto& interval = row.intervals[i];
      if (interval) entry["ci"][run.coefficients[i]] = Json{interval->low, interval->high};
    }
    if (entry.contains("ci") && row.group == meta::kMeanRow && !run.drawn.empty()) entry["drawn"] = run.drawn;
    if (row.tie_threshold) entry["tie_threshold"] = *row.tie_threshold;
    for (std::size_t i = 0; i < row.averaged.size(); ++i)
      entry["groups"][run.coefficients[i]] = row.averaged[i];
    list.push_back(std::move(entry));
  }
}

}  // namespace

bool has_intervals(const CorrelationTests& tests) {
  return std::ranges::any_of(tests.differences, [](const meta::MetricDifference& difference) {
    return difference.interval.has_value();
  });
}

std::string to_json(std::span<const CorrelationRun> runs) {
  const CorrelationRun& first = runs.front();
  Json json;
  json["markeval"] = version();
  json["results"] = Json::array();
  json["tests"] = Json::array();
  json["verdicts"] = Json::array();
  for (const CorrelationRun& run : runs) {
    add_results(run, runs.size() > 1, json["results"]);
    add_tests(run, runs.size() > 1, json["tests"]);
    json["verdicts"].push_back(run.verdict);
  }
  json["signature"] = first.signature;
  if (!first.metric_signatures.empty()) json["metric_signatures"] = first.metric_signatures;
  json["warnings"] = first.warnings;
  // Names need not be valid UTF-8 where the reader was told to let them pass; JSON has to be.
  return written_json(json) + "\n";
}

std::string to_tsv(std::span<const CorrelationRun> runs) {
  Table table{"", {"predicted", "group", "n", "result", "value"}, {}};
  if (runs.size() > 1) table.columns.insert(table.columns.begin(), "gold");
  for (const CorrelationRun& run : runs) {
    const auto add = [&](const std::string& predicted, const std::string& group, std::size_t n,
                         const std::string& result, const Number& value) {
      auto& row = table.rows.emplace_back();
      if (runs.size() > 1) row.emplace_back(run.gold);
      row.insert(row.end(), {predicted, group, n, result, value});
    };
    for (const meta::CorrelationRow& row : run.rows) {
      for (std::size_t i = 0; i < run.coefficients.size(); ++i) {
        add(row.predicted, row.group, row.n, run.coefficients[i], row.values[i]);
        if (row.intervals.empty() || !row.intervals[i]) continue;
        add(row.predicted, row.group, row.n, run.coefficients[i] + ".low", row.intervals[i]->low);
        add(row.predicted, row.group, row.n, run.coefficients[i] + ".high", row.intervals[i]->high);
      }
    }
    if (!run.tests) continue;
    for (const meta::MetricDifference& difference : run.tests->differences) {
      const std::string pair = run.predicted[difference.first] + " - " + run.predicted[difference.second];
      for (const auto& [name, value] : numbers_of(difference, has_intervals(*run.tests)))
        add(pair, difference.group, difference.n, run.tests->test + "." + run.tests->coefficient + "." + name,
            value);
    }
  }
  return to_tsv(table);
}

}  // namespace markeval::report
