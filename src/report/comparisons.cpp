// The summary table and the tests in text, JSON and TSV.
#include "report/comparisons.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.hpp"
#include "base/lookup.hpp"
#include "base/version.hpp"
#include "report/ceilings.hpp"
#include "report/cells.hpp"
#include "report/json_number.hpp"
#include "report/run_report.hpp"
#include "report/score_tables.hpp"
#include "report/table_data.hpp"

namespace markeval::report {
namespace {

using Json = nlohmann::ordered_json;

/// The test of a system against the baseline; none for that one itself.
const ComparedPair* against_baseline(const ComparedResult& result, std::size_t system) {
  const auto found = std::ranges::find_if(
      result.pairs, [&](const ComparedPair& pair) { return pair.first == 0 && pair.second == system; });
  return found == result.pairs.end() ? nullptr : &*found;
}

std::string rank_of(const ComparedSystem& system) {
  if (system.rank == 0) return "-";
  return system.best_rank == system.worst_rank ? std::to_string(system.rank)
                                               : fmt::format("{}-{}", system.best_rank, system.worst_rank);
}

std::vector<std::string> names_of(const ComparedResult& result) {
  std::vector<std::string> names;
  for (const ComparedSystem& system : result.systems) names.push_back(system.system);
  return names;
}

Cell with_interval(double value, const std::optional<Interval>& interval) {
  Cell cell(value);
  cell.interval = interval;
  return cell;
}

/// What the test finds, whoever is held back.
bool is_told_apart(const ComparedPair& pair, double alpha) {
  const bool holds_zero = pair.interval && pair.interval->low <= 0 && pair.interval->high >= 0;
  return pair.p_adjusted.value_or(1) <= alpha && pair.difference != 0 && !holds_zero;
}

/// Beside the baseline, where the test separates the two.
Verdict verdict_on(const ComparedResult& result, std::size_t system, double alpha) {
  const ComparedPair* pair = against_baseline(result, system);
  if (pair == nullptr || !is_separated(*pair, alpha)) return Verdict::not_separated;
  return (pair->difference > 0) == result.higher_is_better ? Verdict::better : Verdict::worse;
}

/// The same in a word, for programs.
const char* verdict_word(const ComparedResult& result, std::size_t system, double alpha) {
  const ComparedPair* pair = against_baseline(result, system);
  if (pair == nullptr) return "";
  if (!pair->p_adjusted) return "not tested";
  if (pair->held_back) return is_told_apart(*pair, alpha) ? "held back" : "not separated";
  const Verdict verdict = verdict_on(result, system, alpha);
  return verdict == Verdict::better ? "better" : verdict == Verdict::worse ? "worse" : "not separated";
}

/// Scores with verdicts.
std::vector<Cell> cells_of(const ComparedResult& result, double alpha) {
  std::vector<Cell> cells;
  for (std::size_t s = 0; s < result.systems.size(); ++s) {
    cells.push_back(with_interval(result.systems[s].score, result.systems[s].interval));
    cells.back().verdict = verdict_on(result, s, alpha);
  }
  return cells;
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
      entry["verdict"] = verdict_word(result, s, alpha);
    }
    entry["rank"] = system.rank == 0 ? Json(nullptr) : Json(system.rank);
    entry["rank_range"] = system.rank == 0 ? Json(nullptr) : Json{system.best_rank, system.worst_rank};
    if (system.rank == 0) entry["not_ranked"] = system.suspicion;
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

std::vector<std::string> not_ranked(const ComparisonRun& run) {
  Named<Named<std::vector<std::string>>> found;  // metrics by system, by reason
  for (const ComparedResult* result : main_results(run.results)) {
    for (const ComparedSystem& system : result->systems) {
      if (system.rank == 0)
        value_of(value_of(found, system.suspicion), system.system).push_back(result->requested);
    }
  }
  std::vector<std::string> sentences;
  for (const auto& [why, systems] : found) {
    for (const auto& [system, metrics] : systems)
      sentences.push_back(fmt::format("{} is {}, so {} {} it no rank.", system, why,
                                      few_names(metrics, "metrics"), metrics.size() == 1 ? "gives" : "give"));
  }
  return sentences;
}

Table differences_table(const ComparedResult& result, bool means) {
  Table table = named_rows(result.requested, "system", names_of(result));
  std::vector<Cell> scores, spreads, differences, p, p_adjusted, ranks;
  for (std::size_t s = 0; s < result.systems.size(); ++s) {
    const ComparedSystem& system = result.systems[s];
    const ComparedPair* pair = against_baseline(result, s);
    scores.push_back(with_interval(system.score, system.interval));
    spreads.emplace_back(system.mean).spread = system.half_width;
    differences.push_back(pair == nullptr ? Cell("-") : with_interval(pair->difference, pair->interval));
    p.emplace_back(pair == nullptr ? std::nullopt : pair->p_value);
    p_adjusted.emplace_back(pair == nullptr ? std::nullopt : pair->p_adjusted);
    ranks.emplace_back(rank_of(system));
  }
  ReportColumn column(result.result + " [95 %]", CellKind::number, !result.higher_is_better);
  column.percent = in_percent(result.metric);
  add_column(table, column, std::move(scores));
  table.order = rows_by_rank(result);
  column.decimals = decimals_of(table, 1);
  if (means && result.systems.front().mean) {
    column.title = "mean \u00b1 half width";
    add_column(table, column, std::move(spreads));
  }
  column.title = "difference [95 %]";
  add_column(table, column, std::move(differences));
  add_column(table, ReportColumn("p", CellKind::probability, true), std::move(p));
  add_column(table, ReportColumn("p adjusted", CellKind::probability, true), std::move(p_adjusted));
  add_column(table, ReportColumn("rank", CellKind::number, true), std::move(ranks));
  table.in_parts = true;
  return table;
}

std::string to_text(const ComparisonRun& run, const TextOptions& options) {
  const std::vector<const ComparedResult*> main = main_results(run.results);
  ReportText document;
  if (!main.empty()) {
    document.set_baseline(main.front()->systems.front().system, run.alpha);
    document.table(summary_table(run), main.size() > 1 ? Where::everywhere : Where::papers);
  }
  document.legend();
  for (const std::string& sentence : not_ranked(run)) document.sentence(sentence);
  for (const ComparedResult& result : run.results) {
    if (!options.details && std::ranges::find(main, &result) == main.end()) continue;
    document.caption(fmt::format("{}, {} is better; {} against {}, ranks at {} ({})", result.requested,
                                 result.higher_is_better ? "higher" : "lower", result.test,
                                 result.systems.front().system, run.alpha, run.correction),
                     Where::text);
    document.table(differences_table(result, options.details), Where::text);
  }
  add_people(run.ceilings, options.details, document);
  add_groups(group_sizes(run), group_tables(run), document);
  document.legend();
  for (const ComparedResult& result : run.results) document.add_signatures({result.signature});
  return document.write(options) + errors_to_text(run.errors, options);
}

bool is_separated(const ComparedPair& pair, double alpha) {
  return !pair.held_back && is_told_apart(pair, alpha);
}

std::vector<std::size_t> rows_by_rank(const ComparedResult& result) {
  std::vector<double> scores;
  for (const ComparedSystem& system : result.systems) scores.push_back(system.score);
  std::vector<std::size_t> order = best_first(scores, result.higher_is_better);
  std::ranges::stable_sort(order, {}, [&](std::size_t s) { return result.systems[s].level; });
  return order;
}

Table summary_table(const ComparisonRun& run) {
  const std::vector<const ComparedResult*> main = main_results(run.results);
  if (main.empty()) return {};
  Table table = named_rows("All systems and metrics", "system", names_of(*main.front()));
  for (const ComparedResult* result : main) {
    ReportColumn column = metric_column(result->metric, result->requested);
    column.result = told_result(result->metric, result->requested, result->result);
    column.marks_best = true;
    column.beside_people = is_beside_people(run.ceilings, result->requested);
    std::vector<Cell> cells = cells_of(*result, run.alpha);
    for (std::size_t s = 0; s < cells.size(); ++s) cells[s].rank = rank_of(result->systems[s]);
    add_column(table, std::move(column), std::move(cells));
  }
  table.order = rows_by_rank(*main.front());
  table.brief = table.tested = table.in_parts = true;
  return table;
}

GroupedScores group_sizes(const ComparisonRun& run) {
  GroupedScores sizes{run.group_column, {}};
  for (const GroupComparison& group : run.groups) sizes.groups.push_back({group.group, group.segments, {}});
  return sizes;
}

std::vector<Table> group_tables(const ComparisonRun& run) {
  std::vector<Table> tables;
  for (const GroupComparison& group : run.groups) {
    for (const ComparedResult* result : main_results(group.results)) {
      const std::string title = result->requested + (result->result == "covered" ? ".covered" : "");
      add_group(tables, metric_column(result->metric, title), group.group, names_of(*result),
                cells_of(*result, run.alpha));
    }
  }
  for (Table& table : tables) table.tested = true;
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
  return written_json(json) + "\n";
}

std::string to_tsv(const ComparisonRun& run) {
  Table table{"",
              {"metric", "result", "system", "score", "low", "high", "difference", "difference_low",
               "difference_high", "p_value", "p_adjusted", "rank", "verdict"},
              {}};
  const auto end = [](const std::optional<Interval>& interval, double Interval::*which) {
    return interval ? Cell((*interval).*which) : Cell();
  };
  const bool grouped = !run.group_column.empty();
  if (grouped) table.columns.insert(table.columns.begin(), "group");
  const auto add_all = [&](const std::string& group, const std::vector<ComparedResult>& results) {
    for (const ComparedResult& result : results) {
      for (std::size_t s = 0; s < result.systems.size(); ++s) {
        const ComparedSystem& system = result.systems[s];
        const ComparedPair pair = s == 0 ? ComparedPair{} : *against_baseline(result, s);
        auto& row = table.rows.emplace_back();
        if (grouped) row.emplace_back(group);
        row.insert(row.end(),
                   {result.requested, result.result, system.system, system.score, system.interval.low,
                    system.interval.high, s == 0 ? Cell() : Cell(pair.difference),
                    end(pair.interval, &Interval::low), end(pair.interval, &Interval::high), pair.p_value,
                    pair.p_adjusted, system.rank == 0 ? Cell() : Cell(system.rank),
                    verdict_word(result, s, run.alpha)});
      }
    }
  };
  add_all("all", run.results);
  for (const GroupComparison& group : run.groups) add_all(group.group, group.results);
  return to_tsv(table);
}

}  // namespace markeval::report
