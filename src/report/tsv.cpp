#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "report/run_report.hpp"

namespace markeval::report {
namespace {

// As many digits as it takes to read the same double back.
std::string number(double value) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

// A name may hold anything; a field may not hold what separates fields.
std::string field(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

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
    const std::string name = field(requests[result.metric].size() > 1 ? result.requested : result.metric);
    if (result.segments.empty()) {
      const std::string place =
          segments ? "\tall\t" : "\t";  // a metric of the whole among metrics of segments
      for (const auto& [score, value] : result.scores) {
        out += field(result.system) + place + name + "\t" + score + "\t" + number(value) + "\n";
      }
    }
    for (const auto& [score, values] : result.segments) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        out += field(result.system) + "\t" + std::to_string(i + 1) + "\t" + name + "\t" + score + "\t" +
               number(values[i]) + "\n";
      }
    }
  }
  return out;
}

}  // namespace markeval::report
