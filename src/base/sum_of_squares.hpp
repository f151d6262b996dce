// The squared length of a vector, in double. Eight partial sums, so that any vector unit is busy;
// the order depends on the length alone.
#pragma once

#include <cstddef>

namespace markeval {

/// `values`: a span of float or double.
template <typename Values>
double sum_of_squares(const Values& values) {
  constexpr std::size_t kLanes = 8;
  double lanes[kLanes] = {};
  std::size_t at = 0;
  for (; at + kLanes <= values.size(); at += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const auto value = static_cast<double>(values[at + lane]);
      lanes[lane] += value * value;
    }
  }
  for (std::size_t lane = 0; at + lane < values.size(); ++lane) {
    const auto value = static_cast<double>(values[at + lane]);
    lanes[lane] += value * value;
  }
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

}  // namespace markeval
