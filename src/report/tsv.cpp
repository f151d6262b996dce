#include <algorithm>

#include "report/cells.hpp"
#include "report/run_report.hpp"

namespace markeval::report {

std::string to_tsv(const RunReport& report) {
  const bool segments = std::any_of(report.results.begin(), report.results.end(),
                                    [](const Result& result) { return !result.segments.empty(); });
  std::string out = segments ? "system\tsegment\tmetric\tresult\tvalue\n" : "system\tmetric\tresult\tvalue\n";
  for (const Result& result : report.results) {
    const std::string name = tsv_field(result.requested);
    if (result.segments.empty()) {
      const std::string place =
          segments ? "\tall\t" : "\t";  // a metric of the whole among metrics of segments
      for (const auto& [score, value] : result.scores) {
        out += tsv_field(result.system) + place + name + "\t" + score + "\t" + all_digits(value) + "\n";
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
