// Ticks at 1, 2 or 5 times a power of ten, and their labels.
#include "report/svg_scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/elementary.hpp"

namespace markeval::report {
namespace {

constexpr double kShortFrom = 1e12;  // written with an exponent: labels must fit

double decimal_log(double x) {
  return elementary::log(x) / elementary::log(10.0);
}

/// 1, 2 or 5 times a power of ten.
double round_step(double rough) {
  const double power = elementary::pow(10.0, std::floor(decimal_log(rough)));
  const double times = rough / power;
  return (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10) * power;
}

Axis make(double low, double high, double from, double to, int ticks, bool round_ends) {
  if (!std::isfinite(low) || !std::isfinite(high)) low = 0, high = 1;
  if (high < low) std::swap(low, high);
  if (high - low <= 1e-12 * std::max(std::abs(low), std::abs(high))) {
    const double margin = low == 0 ? 0.5 : std::abs(low) * 0.1;
    low = std::max(low - margin, -std::numeric_limits<double>::max());
    high = std::min(high + margin, std::numeric_limits<double>::max());
  }
  Axis axis;
  const double step = round_step((high / 2 - low / 2) / (std::max(2, ticks) / 2.0));
  const double first = round_ends ? std::floor(low / step + 1e-9) : std::ceil(low / step - 1e-9);
  const double last = round_ends ? std::ceil(high / step - 1e-9) : std::floor(high / step + 1e-9);
  for (double i = first; i <= last + 0.5; ++i) {
    if (std::isfinite(i * step)) axis.ticks.push_back(i * step == 0 ? 0 : i * step);
  }
  axis.digits = std::clamp(static_cast<int>(std::ceil(-decimal_log(step) - 1e-9)), 0, 12);
  axis.low = round_ends && std::isfinite(first * step) ? first * step : low;
  axis.high = round_ends && std::isfinite(last * step) ? last * step : high;
  axis.from = from;
  axis.to = to;
  return axis;
}

}  // namespace

std::string Axis::label(double tick) const {
  const std::string text = std::abs(tick) < kShortFrom ? fmt::format("{:.{}f}", std::abs(tick), digits)
                                                       : fmt::format("{:g}", std::abs(tick));
  return tick < 0 && text.find_first_not_of("0.") != std::string::npos ? "\u2212" + text : text;
}

Axis round_axis(double low, double high, double from, double to, int ticks) {
  return make(low, high, from, to, ticks, true);
}

Axis tight_axis(double low, double high, double from, double to, int ticks) {
  return make(low, high, from, to, ticks, false);
}

}  // namespace markeval::report
