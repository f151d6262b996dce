// A score run as text and as lines for programs. Descriptions of metrics are here too.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/cancellation.hpp"
#include "base/lookup.hpp"
#include "report/ceilings.hpp"
#include "report/cells.hpp"
#include "report/report_text.hpp"
#include "report/run_report.hpp"
#include "report/score_tables.hpp"

namespace markeval::report {

std::vector<std::string> reasons_of(const std::vector<FailedMetric>& errors) {
  Named<std::vector<std::string>> by_reason;
  for (const FailedMetric& error : errors) value_of(by_reason, error.reason).push_back(error.requested);
  std::vector<std::string> lines;
  for (const auto& [reason, metrics] : by_reason)
    lines.push_back(fmt::format("{}: {}", fmt::join(metrics, ", "), reason));
  return lines;
}

std::string errors_to_text(const std::vector<FailedMetric>& errors, const TextOptions& options) {
  if (options.style != TableStyle::text) return "";
  std::string out;
  for (const std::string& line : reasons_of(errors))
    out += wrapped("not computed: " + line, options.line_width) + "\n";
  return out.empty() ? "" : "\n" + out;
}

std::string to_text(const RunReport& report, const TextOptions& options) {
  const std::vector<MetricResults> metrics = by_request(report.results);
  const bool details = options.details || std::ranges::any_of(report.results, [](const Result& one) {
                         return !one.intervals.empty();  // asked for, and the summary has no room for them
                       });
  ReportText document;
  // What may be compared comes first.
  const bool people_first = all_beside_people(report.ceilings, metrics.size());
  if (people_first) {
    add_people(report.ceilings, options.details, document);
    document.caption("Whole sets: another size than beside people, so do not compare the two");
  }
  if (!metrics.empty())
    document.table(summary_table(report), metrics.size() > 1 ? Where::everywhere : Where::papers);
  for (const MetricResults& results : metrics) {
    if (metrics.size() == 1 || details) document.table(results_table(results), Where::text);
  }
  document.legend();
  if (!people_first) add_people(report.ceilings, options.details, document);
  add_groups(report.grouped, group_tables(report.grouped), document);
  add_clusters(report.clusters, document);
  for (std::string& table : segment_tables(report, options.digits.value_or(4)))
    document.lines(std::move(table));
  for (const Result& result : report.results) document.add_signatures({result.signature()});
  return document.write(options) + errors_to_text(report.errors, options);
}

std::string to_tsv(const RunReport& report) {
  const bool grouped = !report.grouped.column.empty();
  const bool segments = !grouped && std::ranges::any_of(report.results, [](const Result& one) {
    return !one.segments.empty();
  });
  std::string out = fmt::format("{}system\t{}metric\tresult\tvalue\n", grouped ? "group\t" : "",
                                segments ? "segment\t" : "");
  const auto add_all = [&](const std::string& group, const std::vector<Result>& results) {
    for (const Result& result : results) {
      const std::string first = (grouped ? tsv_field(group) + "\t" : "") + tsv_field(result.system) + "\t";
      const std::string requested = tsv_field(result.requested) + "\t";
      const auto add = [&](const std::string& segment, const std::string& score, double value) {
        check_cancelled();
        out += first;
        if (segments) out += segment + "\t";
        out += requested + tsv_field(score) + "\t" + all_digits(value) + "\n";
      };
      for (const auto& [score, value] : result.scores) {
        if (!segments || result.segments.empty()) add("all", score, value);
      }
      for (const auto& [score, values] : result.segments) {
        for (std::size_t i = 0; segments && i < values.size(); ++i)
          add(std::to_string(i + 1), score, values[i]);
      }
    }
  };
  add_all("all", report.results);
  for (const GroupScores& group : report.grouped.groups) add_all(group.group, group.results);
  return out;
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
                      "(" + markeval::shown(option.default_value) + ")", option.meaning});
    }
    out += align(rows, 4);
    out += "  paper    " + info.paper + "\n";
  }
  return out;
}

}  // namespace markeval::report
