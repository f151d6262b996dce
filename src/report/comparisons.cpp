// The summary table and the tests in text, JSON and TSV.
#include "report/comparisons.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/version.hpp"
#include "report/ceilings.hpp"
#include "report/cells.hpp"
#include "report/json_number.hpp"
#include "report/run_report.hpp"
#include "report/summary.hpp"

namespace markeval::report {
namespace {

using Json = nlohmann::ordered_json;

/// The test of a system against the baseline; none for that one itself.
const ComparedPair* against_baseline(const ComparedResult& result, std::size_t system) {
  const auto found = std::find_if(result.pairs.begin(), result.pairs.end(), [&](const ComparedPair& pair) {
    return pair.first == 0 && pair.second == system;
  });
  return found == result.pairs.end() ? nullptr : &*found;
}

std::string bracketed(double value, const std::optional<Interval>& interval, std::size_t decimals) {
  const std::string text = fixed_number(value, decimals);
  return interval ? text + " " + interval_text(*interval, decimals) : text;
}

std::string rank_of(const ComparedSystem& system) {
  return system.best_rank == system.worst_rank ? std::to_string(system.rank)
                                               : fmt::format("{}-{}", system.best_rank, system.worst_rank);
}

std::vector<double> scores_of(const ComparedResult& result) {
  std::vector<double> values;
  for (const ComparedSystem& system : result.systems) values.push_back(system.score);
  return values;
}
std::vector<Interval> intervals_of(const ComparedResult& result) {
  std::vector<Interval> intervals;
  for (const ComparedSystem& system : result.systems) intervals.push_back(system.interval);
  return intervals;
}

/// Beside the baseline, where the test separates the two.
Verdict verdict_on(const ComparedResult& result, std::size_t system, double alpha) {
  const ComparedPair* pair = against_baseline(result, system);
  if (pair == nullptr || !is_separated(*pair, alpha)) return Verdict::not_separated;
  return (pair->difference > 0) == result.higher_is_better ? Verdict::better : Verdict::worse;
}

const char* name_of(Verdict verdict) {
  return verdict == Verdict::better ? "better" : verdict == Verdict::worse ? "worse" : "not separated";
}

SummaryColumn column_of(const ComparedResult& result, const std::string& title, double alpha) {
  SummaryColumn column{title, result.higher_is_better, scores_of(result), intervals_of(result), {}};
  for (std::size_t s = 0; s < result.systems.size(); ++s)
    column.verdicts.push_back(verdict_on(result, s, alpha));
  for (const ComparedSystem& system : result.systems) column.ranks.push_back(rank_of(system));
  column.percent = in_percent(result.metric);
  return column;
}

SummaryTable summary_of(const std::vector<const ComparedResult*>& results, const ComparisonRun& run) {
  SummaryTable table;
  for (const ComparedSystem& system : results.front()->systems) table.systems.push_back(system.system);
  for (const ComparedResult* result : results) {
    SummaryColumn& column = table.columns.emplace_back(column_of(*result, result->requested, run.alpha));
    column.result = told_result(result->metric, result->requested, result->result);
  }
  return table;
}

/// The main result of each metric, or its first where the main one was not asked for.
std::vector<const ComparedResult*> main_results(const std::vector<ComparedResult>& all) {
  std::vector<const ComparedResult*> results;
  for (const ComparedResult& result : all) {
    const bool known = !results.empty() && results.back()->requested == result.requested;
    if (!known) {
      results.push_back(&result);
    } else if (result.is_main) {
      results.back() = &result;
    }
  }
  return results;
}

void append_result(const ComparedResult& result, const ComparisonRun& run, const TextOptions& options,
                   std::string& out) {
  const bool means = options.details && result.systems.front().mean.has_value();
  const std::size_t decimals = options.digits.value_or(
      decimals_of(scores_of(result), intervals_of(result), in_percent(result.metric)));
  std::vector<std::vector<std::string>> rows{{"system", result.result + " [95 %]"}};
  if (means) rows[0].emplace_back("mean ± half width");
  rows[0].insert(rows[0].end(), {"difference [95 %]", "p", "p adjusted", "rank"});
  for (const std::size_t s : best_first(scores_of(result), result.higher_is_better)) {
    const ComparedSystem& system = result.systems[s];
    const ComparedPair* pair = against_baseline(result, s);
    std::vector<std::string>& row = rows.emplace_back();
    row = {system.system, bracketed(system.score, system.interval, decimals)};
    if (means)
      row.push_back(fmt::format("{} ± {}", fixed_number(*system.mean, decimals),
                                fixed_number(*system.half_width, decimals)));
    row.push_back(pair == nullptr ? "-" : bracketed(pair->difference, pair->interval, decimals));
    row.push_back(pair == nullptr ? "-" : probability(pair->p_value));
    row.push_back(pair == nullptr ? "-" : probability(pair->p_adjusted));
    row.push_back(rank_of(system));
  }
  if (!out.empty()) out += "\n";
  out += fmt::format("{}, {} is better; {} against {}, ranks at {} ({})\n", result.requested,
                     result.higher_is_better ? "higher" : "lower", result.test, result.systems.front().system,
                     run.alpha, run.correction);
  out += align(rows, 1);
}

Json json_interval(const std::optional<Interval>& interval) {
  return interval ? Json{interval->low, interval->high} : Json(nullptr);
}

Json systems_of(const ComparedResult& result, double alpha) {
  Json list = Json::array();
  for (std::size_t s = 0; s < result.systems.size(); ++s) {
    const ComparedSystem& system = result.systems[s];
    const ComparedPair* pair = against_baseline(result, s);
    Json entry;
    entry["system"] = system.system;
    entry["score"] = system.score;
    entry["ci"] = {system.interval.low, system.interval.high};
    if (system.mean) entry["mean"] = *system.mean;
    if (system.half_width) entry["half_width"] = *system.half_width;
    if (pair != nullptr) {
      entry["difference"] = pair->difference;
      entry["difference_ci"] = json_interval(pair->interval);
      entry["p_value"] = json_number(pair->p_value);
      entry["p_adjusted"] = json_number(pair->p_adjusted);
      entry["verdict"] = name_of(verdict_on(result, s, alpha));
    }
    entry["rank"] = system.rank;
    entry["rank_range"] = {system.best_rank, system.worst_rank};
    list.push_back(std::move(entry));
  }
  return list;
}

Json tests_of(const ComparedResult& result) {
  Json list = Json::array();
  for (const ComparedPair& pair : result.pairs) {
    list.push_back({{"first", result.systems[pair.first].system},
                    {"second", result.systems[pair.second].system},
                    {"difference", pair.difference},
                    {"ci", json_interval(pair.interval)},
                    {"p_value", json_number(pair.p_value)},
                    {"p_adjusted", json_number(pair.p_adjusted)}});
  }
  return list;
}

Json results_of(const std::vector<ComparedResult>& results, double alpha) {
  Json list = Json::array();
  for (const ComparedResult& result : results) {
    Json entry;
    entry["metric"] = result.metric;
    entry["request"] = result.requested;
    entry["result"] = result.result;
    entry["better"] = result.higher_is_better ? "higher" : "lower";
    entry["test"] = result.test;
    entry["systems"] = systems_of(result, alpha);
    entry["tests"] = tests_of(result);
    entry["signature"] = result.signature;
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

std::string to_text(const ComparisonRun& run, const TextOptions& options) {
  std::string out;
  const std::vector<const ComparedResult*> main = main_results(run.results);
  const std::string by_group = groups_to_text(group_sizes(run), group_tables(run), options);
  std::vector<std::string> signatures;
  for (const ComparedResult& result : run.results) signatures.push_back(result.signature);
  const std::string block = signature_block(std::move(signatures), options);
  const bool text = options.style == TableStyle::text;
  const std::string baseline = main.empty() ? "" : main.front()->systems.front().system;
  if (!text || main.size() > 1) out = write_table(summary_of(main, run), options);
  const std::string marks = about_marks(out, baseline, run.alpha, options.style);
  out += marks + about_arrow(out, options.style);
  if (text && !options.details) {
    for (const ComparedResult* result : main) append_result(*result, run, options, out);
  } else if (text) {
    for (const ComparedResult& result : run.results) append_result(result, run, options, out);
  }
  out += people_to_text(run.ceilings, options) + by_group;
  if (marks.empty()) out += about_marks(by_group, baseline, run.alpha, options.style);
  return out + block + (text ? errors_to_text(run.errors) : "");
}

bool is_separated(const ComparedPair& pair, double alpha) {
  const bool holds_zero = pair.interval && pair.interval->low <= 0 && pair.interval->high >= 0;
  return pair.p_adjusted.value_or(1) <= alpha && pair.difference != 0 && !holds_zero;
}

SummaryTable summary_table(const ComparisonRun& run) {
  const std::vector<const ComparedResult*> main = main_results(run.results);
  return main.empty() ? SummaryTable{} : summary_of(main, run);
}

GroupedScores group_sizes(const ComparisonRun& run) {
  GroupedScores sizes{run.group_column, {}};
  for (const GroupComparison& group : run.groups) sizes.groups.push_back({group.group, group.segments, {}});
  return sizes;
}

std::vector<SummaryTable> group_tables(const ComparisonRun& run) {
  std::vector<SummaryTable> tables;
  for (const GroupComparison& group : run.groups) {
    for (const ComparedResult* result : main_results(group.results)) {
      const std::string corner = result->requested + (result->result == "covered" ? ".covered" : "");
      auto table = std::find_if(tables.begin(), tables.end(),
                                [&](const SummaryTable& one) { return one.corner == corner; });
      if (table == tables.end()) {
        table = tables.insert(tables.end(), SummaryTable{{}, {}, corner});
        for (const ComparedSystem& system : result->systems) table->systems.push_back(system.system);
      }
      table->columns.push_back(column_of(*result, group.group, run.alpha));
    }
  }
  return tables;
}

std::string to_json(const ComparisonRun& run) {
  Json json;
  json["markeval"] = version();
  json["baseline"] = run.results.empty() ? Json(nullptr) : Json(run.results[0].systems[0].system);
  json["correction"] = run.correction;
  json["alpha"] = run.alpha;
  json["results"] = results_of(run.results, run.alpha);
  if (!run.group_column.empty()) json["group"] = run.group_column;
  for (const GroupComparison& group : run.groups)
    json["groups"].push_back({{"group", group.group},
                              {"segments", group.segments},
                              {"results", results_of(group.results, run.alpha)}});
  add_ceilings(run.ceilings, json);
  json["warnings"] = run.warnings;
  json["errors"] = Json::array();
  for (const FailedMetric& error : run.errors)
    json["errors"].push_back(
        {{"metric", error.metric}, {"request", error.requested}, {"reason", error.reason}});
  // Names need not be valid UTF-8; JSON has to be.
  return json_text(json, 1) + "\n";
}

std::string to_tsv(const ComparisonRun& run) {
  const bool grouped = !run.group_column.empty();
  std::string out =
      "metric\tresult\tsystem\tscore\tlow\thigh\tdifference\tdifference_low\tdifference_high\tp_value\t"
      "p_adjusted\trank\tverdict\n";
  if (grouped) out.insert(0, "group\t");
  const auto add = [&out](const std::optional<double>& value) {
    out += '\t';
    if (value) out += all_digits(*value);
  };
  const auto add_all = [&](const std::string& group, const std::vector<ComparedResult>& results) {
    for (const ComparedResult& result : results) {
      for (std::size_t s = 0; s < result.systems.size(); ++s) {
        const ComparedSystem& system = result.systems[s];
        const ComparedPair pair = s == 0 ? ComparedPair{} : *against_baseline(result, s);
        if (grouped) out += tsv_field(group) + "\t";
        out +=
            fmt::format("{}\t{}\t{}", tsv_field(result.requested), result.result, tsv_field(system.system));
        add(system.score);
        add(system.interval.low);
        add(system.interval.high);
        add(s == 0 ? std::nullopt : std::optional(pair.difference));
        add(pair.interval ? std::optional(pair.interval->low) : std::nullopt);
        add(pair.interval ? std::optional(pair.interval->high) : std::nullopt);
        add(pair.p_value);
        add(pair.p_adjusted);
        out +=
            fmt::format("\t{}\t{}\n", system.rank, s == 0 ? "" : name_of(verdict_on(result, s, run.alpha)));
      }
    }
  };
  add_all("all", run.results);
  for (const GroupComparison& group : run.groups) add_all(group.group, group.results);
  return out;
}

}  // namespace markeval::report
