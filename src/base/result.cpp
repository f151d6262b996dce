// Sums of segment statistics, and the signature as "metric|key:value|...".
#include "base/result.hpp"

namespace markeval {

std::vector<double> SegmentStatistics::sum() const {
  std::vector<double> total(columns, 0.0);
  for (std::size_t i = 0; i < rows(); ++i) {
    const auto values_of_row = row(i);
    for (std::size_t c = 0; c < columns; ++c) total[c] += values_of_row[c];
  }
  return total;
}

std::string Result::signature() const {
  std::string text = metric;
  for (const auto& [key, value] : signature_parts) text.append("|").append(key).append(":").append(value);
  return text;
}

}  // namespace markeval
