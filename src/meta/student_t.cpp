// Tail probabilities by a continued fraction of the incomplete beta function; quantiles by bisection.
#include "meta/student_t.hpp"

#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/elementary.hpp"

namespace markeval::meta {
namespace {

/// Gamma(a + 1/2) / Gamma(a): the asymptotic series in 1/a (Abramowitz and Stegun 6.1.47 with a = 1/2, b =
/// 0), reached by the recurrence from below. Differences of log-gammas would lose as many digits as they have
/// before the point.
double gamma_ratio(double a) {
  double factor = 1;
  for (; a < 40; a += 1) factor *= a / (a + 0.5);
  const double x = 1 / a;
  const double series =
      1 + x * (-1.0 / 8 +
               x * (1.0 / 128 +
                    x * (5.0 / 1024 + x * (-21.0 / 32768 + x * (-399.0 / 262144 + x * 869.0 / 4194304)))));
  return factor * std::sqrt(a) * series;
}

/// x^a y^b / B(a, b) times this is the regularised incomplete beta function I_x(a, b), y = 1 - x. The
/// continued fraction of Didonato and Morris (1992, equation 9), by Lentz's method: y is used as it is, so
/// nothing cancels for x near 1. Quick for x < (a + 1) / (a + b + 2).
double beta_fraction(double x, double y, double a, double b) {
  constexpr double kTiny = 1e-300;
  const auto away_from_0 = [](double value) { return std::fabs(value) < kTiny ? kTiny : value; };
  double value = 0, c = 0, d = 0;
  for (int step = 0; step < 100'000; ++step) {
    const double m = step, denominator = a + 2 * m - 1;
    const double next =
        m + m * (b - m) * x / denominator + (a + m) * (a * y - b * x + 1 + m * (2 - x)) / (a + 2 * m + 1);
    if (step == 0) {
      value = c = away_from_0(a * (a * y - b * x + 1) / (a + 1));
      continue;
    }
    const double above = (a + m - 1) * (a + b + m - 1) / denominator / denominator * m * (b - m) * x * x;
    d = 1 / away_from_0(next + above * d);
    c = away_from_0(next + above / c);
    value *= c * d;
    if (std::fabs(c * d - 1) < std::numeric_limits<double>::epsilon()) break;
  }
  return 1 / value;
}

}  // namespace

double student_t_two_sided(double t, double degrees) {
  assert(degrees > 0);
  if (t == 0) return 1;
  // P = I_x(degrees / 2, 1 / 2) with x = degrees / (degrees + t^2) (DLMF 8.17; Abramowitz and Stegun 26.7.1).
  const double a = degrees / 2, b = 0.5, ratio = t * (t / degrees);
  if (std::isinf(ratio)) return 0;
  const double x = 1 / (1 + ratio), y = ratio / (1 + ratio);
  // x^a y^b / B(a, b), with B(a, 1/2) = sqrt(pi) Gamma(a) / Gamma(a + 1/2).
  const double front = elementary::exp(-a * elementary::log1p(ratio)) * std::sqrt(y) * gamma_ratio(a) /
                       std::sqrt(std::numbers::pi);
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(x, y, a, b);
  return 1 - front * beta_fraction(y, x, b, a);
}

double student_t_two_sided_quantile(double probability, double degrees) {
  assert(probability > 0 && probability < 1);
  double low = 0, high = 1;
  while (student_t_two_sided(high, degrees) > probability && high < 1e300) {
    low = high;
    high *= 2;
  }
  // The probability falls with t: halve until the ends are neighbours.
  for (int step = 0; step < 200; ++step) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (student_t_two_sided(middle, degrees) > probability ? low : high) = middle;
  }
  return high;
}

double student_t_upper_tail(double t, double degrees) {
  const double half = student_t_two_sided(t, degrees) / 2;
  return t >= 0 ? half : 1 - half;
}

}  // namespace markeval::meta
