// A score run as text: the summary table, all results of one metric, segments, and what could not be
// computed. Descriptions of metrics are here too.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/ceilings.hpp"
#include "report/cells.hpp"
#include "report/run_report.hpp"
#include "report/summary.hpp"

namespace markeval::report {
namespace {

/// The results of one metric, by system.
using Group = std::vector<const Result*>;

std::vector<Group> groups_of(const RunReport& report) {
  std::vector<Group> groups;  // by request, in order of appearance
  for (const Result& result : report.results) {
    const auto group = std::find_if(groups.begin(), groups.end(),
                                    [&](const Group& g) { return g.front()->requested == result.requested; });
    if (group == groups.end())
      groups.push_back({&result});
    else
      group->push_back(&result);
  }
  return groups;
}

SummaryTable summary_of(const std::vector<Group>& groups) {
  SummaryTable table;
  for (const Result* result : groups.front()) table.systems.push_back(result->system);
  for (const Group& group : groups) {
    SummaryColumn& column = table.columns.emplace_back();
    const std::size_t which = main_index(*group.front());
    column.title = group.front()->requested;
    column.result = told_result(group.front()->metric, column.title, group.front()->scores[which].first);
    column.higher_is_better = metric::find_metric(group.front()->metric).better == metric::Better::higher;
    column.percent = in_percent(group.front()->metric);
    for (const Result* result : group) {
      column.values.push_back(result->scores[which].second);
      if (which < result->intervals.size()) column.intervals.push_back(result->intervals[which].second);
    }
  }
  return table;
}

bool higher_is_better(const Group& group) {
  return metric::find_metric(group.front()->metric).better == metric::Better::higher;
}

/// All results of one metric, the best system first.
void append_group(const Group& group, const TextOptions& options, std::string& out) {
  const Result& any = *group.front();
  std::vector<std::vector<std::string>> rows(1);
  const bool one_score = any.scores.size() == 1;
  rows[0].push_back(one_score ? "system" : any.requested);
  for (const auto& [name, value] : any.scores)
    rows[0].push_back(heading({one_score ? any.requested : name, higher_is_better(group), {}, {}, {}}));
  std::vector<double> main;
  for (const Result* result : group) main.push_back(result->scores[main_index(any)].second);
  const std::vector<std::size_t> order = best_first(main, higher_is_better(group));
  for (const std::size_t system : order) rows.push_back({group[system]->system});
  for (std::size_t r = 0; r < any.scores.size(); ++r) {
    std::vector<double> values;
    std::vector<Interval> intervals;
    for (const std::size_t system : order) {
      values.push_back(group[system]->scores[r].second);
      if (r < group[system]->intervals.size()) intervals.push_back(group[system]->intervals[r].second);
    }
    const std::size_t decimals =
        options.digits.value_or(decimals_of(values, intervals, in_percent(any.metric)));
    for (std::size_t row = 0; row < group.size(); ++row) {
      std::string cell = fixed_number(values[row], decimals);
      if (row < intervals.size()) cell += " " + interval_text(intervals[row], decimals);
      rows[row + 1].push_back(std::move(cell));
    }
  }
  if (!out.empty()) out += "\n";
  out += align(rows, 1);
}

/// "bleu" where a metric has one result, "bertscore.f1" for one of several.
std::string column_title(const Result& result, const std::string& score) {
  return result.segments.size() == 1 ? result.requested : fmt::format("{}.{}", result.requested, score);
}

/// The segments of the system whose results stand from `first` on: a line each, a column per score.
void append_segments(const RunReport& report, std::size_t first, std::string& out) {
  const std::string& system = report.results[first].system;
  std::vector<std::vector<std::string>> rows{{"segment of " + system}};
  for (std::size_t i = first; i < report.results.size() && report.results[i].system == system; ++i) {
    for (const auto& [name, values] : report.results[i].segments) {
      rows[0].push_back(column_title(report.results[i], name));
      while (rows.size() <= values.size()) rows.push_back({std::to_string(rows.size())});
      for (std::size_t s = 0; s < values.size(); ++s) rows[s + 1].push_back(short_number(values[s]));
    }
  }
  if (rows.size() == 1) return;
  out += "\n";
  out += align(rows, 1);
}

}  // namespace

SummaryTable summary_table(const RunReport& report) {
  const std::vector<Group> groups = groups_of(report);
  return groups.empty() ? SummaryTable{} : summary_of(groups);
}

std::vector<std::string> reasons_of(const std::vector<FailedMetric>& errors) {
  std::vector<std::pair<std::string, std::string>> by_reason;  // reason, metrics
  for (const FailedMetric& error : errors) {
    const auto same = std::find_if(by_reason.begin(), by_reason.end(),
                                   [&](const auto& one) { return one.first == error.reason; });
    if (same == by_reason.end()) {
      by_reason.emplace_back(error.reason, error.requested);
    } else {
      same->second += ", " + error.requested;
    }
  }
  std::vector<std::string> lines;
  for (const auto& [reason, metrics] : by_reason) lines.push_back(metrics + ": " + reason);
  return lines;
}

std::string errors_to_text(const std::vector<FailedMetric>& errors) {
  std::string out;
  for (const std::string& line : reasons_of(errors)) out += "not computed: " + line + "\n";
  return out.empty() ? "" : "\n" + out;
}

std::string to_text(const RunReport& report, const TextOptions& options) {
  const std::vector<Group> groups = groups_of(report);
  const bool details =
      options.details || std::any_of(report.results.begin(), report.results.end(), [](const Result& one) {
        return !one.intervals.empty();  // asked for, and the summary has no room for them
      });
  std::vector<std::string> signatures;
  for (const Result& result : report.results) signatures.push_back(result.signature());
  const std::string block = signature_block(std::move(signatures), options);
  std::string out;
  if (groups.size() > 1 || (options.style != TableStyle::text && !groups.empty())) {
    out = write_table(summary_table(report), options);
  }
  const bool text = options.style == TableStyle::text;
  if (text && (groups.size() == 1 || details)) {
    for (const Group& group : groups) append_group(group, options, out);
  }
  const std::string people = people_to_text(report.ceilings, options);
  if (all_beside_people(report.ceilings, groups.size())) {  // what may be compared comes first
    const std::string arrow = about_arrow(people + out, options.style);
    out = people.substr(1) + "\n" +
          caption("Whole sets: another size than beside people, so do not compare the two", options.style) +
          out + arrow;
  } else {
    out += about_arrow(out, options.style) + people;
  }
  out += groups_to_text(report.grouped, group_tables(report.grouped), options);
  if (!text) return out + block;
  std::string clusters;
  for (const auto& [system, shares] : report.clusters) clusters += clusters_to_text(system, shares);
  if (!clusters.empty()) out += "\nWhere people and systems differ most\n" + clusters;
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    if (i == 0 || report.results[i].system != report.results[i - 1].system) append_segments(report, i, out);
  }
  return out + block + errors_to_text(report.errors);
}

std::string metrics_overview(std::span<const metric::MetricInfo> metrics) {
  struct Section {
    metric::Kind kind;
    const char* title;
  };
  static constexpr std::array kSections{
      Section{metric::Kind::lexical, "Words and characters of a text and its reference (no model)"},
      Section{metric::Kind::pair, "Token vectors of a text and its reference (--model)"},
      Section{metric::Kind::trained, "Learned from human scores (--model)"},
      Section{metric::Kind::set, "A set of texts against a set of references, or vectors (--model)"}};
  std::string out;
  for (const Section& section : kSections) {
    std::vector<std::vector<std::string>> rows;
    for (const metric::MetricInfo& info : metrics) {
      if (info.kind != section.kind) continue;
      rows.push_back({"  " + info.name, info.range,
                      info.better == metric::Better::higher ? "higher" : "lower", info.summary});
    }
    if (rows.empty()) continue;
    out += fmt::format("{}{}\n{}", out.empty() ? "" : "\n", section.title, align(rows, 4));
  }
  return out +
         "\nThe third column is the better direction. Options and paper of a metric: markeval metrics NAME\n";
}

std::string metrics_to_text(std::span<const metric::MetricInfo> metrics) {
  std::string out;
  for (const metric::MetricInfo& info : metrics) {
    if (!out.empty()) out += "\n";
    out += fmt::format("{}  {} ({} metric, {} is better)\n", info.name, info.summary, name(info.kind),
                       info.better == metric::Better::higher ? "higher" : "lower");
    std::string results;
    for (const std::string& result : info.results) {
      results += (results.empty() ? "" : ", ") + result;
      if (info.results.size() > 1 && result == info.main) results += " (main)";
    }
    out += "  results  " + results + "\n";
    std::vector<std::vector<std::string>> rows;
    for (const metric::OptionSpec& option : info.options) {
      rows.push_back({rows.empty() ? "  options" : "         ", option.name + " = " + possible_values(option),
                      "(" + shown(option.default_value) + ")", option.meaning});
    }
    out += align(rows, 4);
    out += "  paper    " + info.paper + "\n";
  }
  return out;
}

}  // namespace markeval::report
