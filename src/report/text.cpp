#include <fmt/format.h>

#include <algorithm>

#include "report/cells.hpp"
#include "report/run_report.hpp"

namespace markeval::report {
namespace {

void append_group(const std::vector<const Result*>& group, std::string& out) {
  std::vector<std::vector<std::string>> rows(1);
  rows[0].push_back(group.front()->requested);
  for (const auto& [name, value] : group.front()->scores) rows[0].push_back(name);
  for (const Result* result : group) {
    rows.push_back({result->system});
    for (std::size_t r = 0; r < result->scores.size(); ++r) {
      std::string cell = short_number(result->scores[r].second);
      if (r < result->intervals.size()) {
        const Interval& interval = result->intervals[r].second;
        cell += fmt::format(" [{}, {}]", short_number(interval.low), short_number(interval.high));
      }
      rows.back().push_back(std::move(cell));
    }
  }
  if (!out.empty()) out += "\n";
  out += align(rows, 1);
  std::string last;
  for (const Result* result : group) {
    const std::string signature = result->signature();
    if (signature == last) continue;
    out += "signature: " + signature + "\n";
    last = signature;
  }
}

/// "bleu" for the one result of bleu, "bertscore.f1" for one of several.
std::string column_title(const Result& result, const std::string& score) {
  return result.segments.size() == 1 && score == result.metric
             ? result.requested
             : fmt::format("{}.{}", result.requested, score);
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

std::string option_line(const metric::OptionSpec& option) {
  std::string values;
  if (option.type == metric::OptionType::number) {
    values = fmt::format("{} to {}", option.minimum, option.maximum);
  } else if (option.type == metric::OptionType::real) {
    values = "a number";
  } else if (option.type == metric::OptionType::text) {
    values = "text";
  } else {
    for (const std::string& choice : option.choices) values += (values.empty() ? "" : " | ") + choice;
  }
  return fmt::format("{} = {}", option.name, values);
}

}  // namespace

std::string to_text(const RunReport& report) {
  std::vector<std::vector<const Result*>> groups;  // by request, in order of appearance
  for (const Result& result : report.results) {
    const auto group = std::find_if(groups.begin(), groups.end(),
                                    [&](const auto& g) { return g.front()->requested == result.requested; });
    if (group == groups.end())
      groups.push_back({&result});
    else
      group->push_back(&result);
  }
  std::string out;
  for (const auto& group : groups) append_group(group, out);
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    if (i == 0 || report.results[i].system != report.results[i - 1].system) append_segments(report, i, out);
  }
  return out;
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
      rows.push_back({rows.empty() ? "  options" : "         ", option_line(option),
                      "(" + option.default_value + ")", option.meaning});
    }
    out += align(rows, 4);
    out += "  paper    " + info.paper + "\n";
  }
  return out;
}

}  // namespace markeval::report
