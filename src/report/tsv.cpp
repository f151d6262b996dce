// A score run as TSV, one number per line.
#include <algorithm>

#include "report/cells.hpp"
#include "report/run_report.hpp"

namespace markeval::report {

namespace {

/// Scores of groups: one line per number, with the group before it.
std::string groups_to_tsv(const RunReport& report) {
  std::string out = "group\tsystem\tmetric\tresult\tvalue\n";
  const auto add = [&](const std::string& group, const std::vector<Result>& results) {
    for (const Result& result : results) {
      for (const auto& [score, value] : result.scores)
        out += tsv_field(group) + "\t" + tsv_field(result.system) + "\t" + tsv_field(result.requested) +
               "\t" + score + "\t" + all_digits(value) + "\n";
    }
  };
  add("all", report.results);
  for (const GroupScores& group : report.grouped.groups) add(group.group, group.results);
  return out;
}

}  // namespace

std::string to_tsv(const RunReport& report) {
  if (!report.grouped.column.empty()) return groups_to_tsv(report);
  const bool segments = std::any_of(report.results.begin(), report.results.end(),
                                    [](const Result& result) { return !result.segments.empty(); });
  std::string out = segments ? "system\tsegment\tmetric\tresult\tvalue\n" : "system\tmetric\tresult\tvalue\n";
  for (const Result& result : report.results) {
    const std::string name = tsv_field(result.requested);
    if (result.segments.empty()) {
      const std::string which =
          segments ? "\tall\t" : "\t";  // a metric of the whole among metrics of segments
      for (const auto& [score, value] : result.scores) {
        out += tsv_field(result.system) + which + name + "\t" + score + "\t" + all_digits(value) + "\n";
      }
    }
    for (const auto& [score, values] : result.segments) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        out += tsv_field(result.system) + "\t" + std::to_string(i + 1) + "\t" + name + "\t" + score + "\t" +
               all_digits(values[i]) + "\n";
      }
    }
  }
  return out;
}

}  // namespace markeval::report
