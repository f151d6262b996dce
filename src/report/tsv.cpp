#include <map>

#include "report/cells.hpp"
#include "report/run_report.hpp"

namespace markeval::report {
std::string to_tsv(const RunReport& report) {
  // A metric asked for several times is told apart by its options: "me:k=3".
  std::map<std::string, std::map<std::string, bool>> requests;
  bool segments = false;
  for (const metric::MetricResult& result : report.results) {
    requests[result.metric][result.requested] = true;
    segments = segments || !result.segments.empty();
  }
  std::string out = segments ? "system\tsegment\tmetric\tresult\tvalue\n" : "system\tmetric\tresult\tvalue\n";
  for (const metric::MetricResult& result : report.results) {
    const std::string name = tsv_field(requests[result.metric].size() > 1 ? result.requested : result.metric);
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
