// From numbers to places: a linear axis with round ticks.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace markeval::report {

struct Axis {
  double low = 0, high = 1;   ///< the numbers at its ends, round where it was asked to be
  std::vector<double> ticks;  ///< round numbers from low to high
  int digits = 0;             ///< decimals that tell the ticks apart
  double from = 0, to = 1;    ///< the places of low and high

  /// Which share of the axis lies below the value. Halves: the axis may be longer than the largest double.
  double share(double value) const { return (value / 2 - low / 2) / (high / 2 - low / 2); }
  double operator()(double value) const { return from + share(value) * (to - from); }
  /// "0.25", "1e+20", a real minus sign before negative numbers
  std::string label(double tick) const;
};

/// An axis that shows [low, high], at the places from..to, with about `ticks` ticks; ends at round numbers.
/// low == high, or numbers that are not finite: a span around them that can be drawn.
Axis round_axis(double low, double high, double from, double to, int ticks);

/// The same with ends exactly at low and high, so that nothing is drawn beyond the data.
Axis tight_axis(double low, double high, double from, double to, int ticks);

}  // namespace markeval::report
