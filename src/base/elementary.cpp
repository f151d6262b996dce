// Arithmetic with pairs of doubles (about 106 bits), and the series of each function. exp and log first try a
// quick version with 66 bits; the slow one runs only where the rounding is not certain.
#include "base/elementary.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

namespace markeval::elementary {
namespace {

/// The unevaluated sum of two doubles, the second at most half a unit of the first's last place: about 106
/// bits.
struct Pair {
  double high = 0;
  double low = 0;
};

/// a + b exactly, for |a| >= |b|.
Pair quick_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}
/// a + b exactly (Knuth).
Pair exact_sum(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}
/// The upper 26 bits of a number and the rest of it, for |a| < 2^996 (Veltkamp).
Pair halves(double a) {
  const double shifted = 0x8000001p0 * a;
  const double high = shifted - (shifted - a);
  return {high, a - high};
}
/// a * b exactly (Dekker). Not by std::fma: where the compiler may not use the instruction, that is a call.
Pair exact_product(double a, double b) {
  const double product = a * b;
  const Pair x = halves(a), y = halves(b);
  return {product, ((x.high * y.high - product) + x.high * y.low + x.low * y.high) + x.low * y.low};
}

Pair operator+(Pair a, Pair b) {
  const Pair high = exact_sum(a.high, b.high);
  const Pair low = exact_sum(a.low, b.low);
  const Pair sum = quick_sum(high.high, high.low + low.high);
  return quick_sum(sum.high, sum.low + low.low);
}
Pair operator-(Pair a) {
  return {-a.high, -a.low};
}
Pair operator*(Pair a, Pair b) {
  const Pair product = exact_product(a.high, b.high);
  return quick_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}
Pair operator*(Pair a, double b) {
  const Pair product = exact_product(a.high, b);
  return quick_sum(product.high, product.low + a.low * b);
}
Pair operator/(Pair a, Pair b) {
  const double first = a.high / b.high;
  const Pair rest = a + -(b * first);
  const double second = rest.high / b.high;
  const Pair last = rest + -(b * second);
  return Pair{first, 0} + quick_sum(second, last.high / b.high);
}

/// 1 / (first + i step) for i from 0 on.
template <std::size_t kCount>
std::array<Pair, kCount> reciprocals(double first, double step) {
  std::array<Pair, kCount> result;
  for (std::size_t i = 0; i < kCount; ++i)
    result[i] = Pair{1, 0} / Pair{first + step * static_cast<double>(i), 0};
  return result;
}

constexpr Pair kLn2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
constexpr Pair kHalfPi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// ln x for a positive finite x. x = 2^e m with m near 1, and ln m = 2 (r + r^3/3 + r^5/5 + ...), r =
/// (m-1)/(m+1).
Pair log_of(Pair x) {
  int exponent = 0;
  if (std::frexp(x.high, &exponent) < std::numbers::sqrt2 / 2) --exponent;
  const Pair m{std::ldexp(x.high, -exponent), std::ldexp(x.low, -exponent)};
  const Pair r = (m + Pair{-1, 0}) / (m + Pair{1, 0});
  const Pair square = r * r;
  // r^2 < 0.0295: from the 12th term on double is enough, behind the 21st nothing is left.
  constexpr std::size_t kExact = 11, kTerms = 21;
  static const std::array<Pair, kTerms> kOdd = reciprocals<kTerms>(1, 2);
  double tail = 0;
  for (std::size_t k = kTerms; k-- > kExact;) tail = tail * square.high + kOdd[k].high;
  Pair sum{tail, 0};
  for (std::size_t k = kExact; k-- > 0;) sum = sum * square + kOdd[k];
  return kLn2 * static_cast<double>(exponent) + (r * sum) * 2.0;
}

/// The same to 66 bits, in a tenth of the time: m is brought within 1/128 of 1 by one of 93 factors whose
/// logarithms are known.
Pair quick_log_of(double x) {
  int exponent = 0;
  if (std::frexp(x, &exponent) < std::numbers::sqrt2 / 2) --exponent;
  const double m = std::ldexp(x, -exponent);
  struct Factor {
    double value;
    Pair minus_log;
  };
  constexpr int kFirst = 90, kLast = 182, kSteps = 128;  // range of m, in steps of 1 / kSteps
  static const auto kFactors = [] {
    std::array<Factor, kLast - kFirst + 1> factors;
    for (int step = kFirst; step <= kLast; ++step) {
      const double value = std::nearbyint(std::ldexp(kSteps / static_cast<double>(step), 20));
      factors[static_cast<std::size_t>(step - kFirst)] = {std::ldexp(value, -20),
                                                          -log_of({std::ldexp(value, -20), 0})};
    }
    return factors;
  }();
  const Factor& factor = kFactors[static_cast<std::size_t>(std::nearbyint(m * kSteps)) - kFirst];
  const Pair product = exact_product(m, factor.value);
  const Pair r = quick_sum(product.high - 1, product.low);
  const double square = r.high * r.high;
  double tail = 0;
  for (int k = 9; k >= 3; --k) tail = tail * -r.high + 1.0 / k;
  return kLn2 * static_cast<double>(exponent) + factor.minus_log + (r + r * r * -0.5) +
         Pair{square * r.high * tail, 0};
}

/// e^x for |x| < 0.35: with r = x / 64, e^r - 1 by its Taylor sum, then doubled six times.
Pair small_exp(Pair x) {
  constexpr int kDoublings = 6;
  const Pair r{std::ldexp(x.high, -kDoublings), std::ldexp(x.low, -kDoublings)};
  constexpr std::size_t kExact = 7, kTerms = 13;  // |r| < 0.0055: later terms need fewer digits
  static const std::array<Pair, kTerms> kInverse = reciprocals<kTerms>(1, 1);
  double tail = 0;
  for (std::size_t k = kTerms; k-- > kExact;) tail = (tail + 1.0) * r.high * kInverse[k].high;
  Pair sum{tail, 0};  // e^r - 1 = r (1 + r/2 (1 + r/3 (...)))
  for (std::size_t k = kExact; k-- > 0;) sum = (sum + Pair{1, 0}) * r * kInverse[k];
  for (int i = 0; i < kDoublings; ++i) sum = sum * 2.0 + sum * sum;
  return sum + Pair{1, 0};
}

/// The same to 66 bits, in less time: x = step / 128 + r, the power of the step is known, and of r, at most
/// 1/256, the Taylor sum is short.
Pair quick_small_exp(Pair x) {
  constexpr int kSteps = 128, kLast = 45;  // 0.35 x 128, rounded up
  static const auto kPowers = [] {
    std::array<Pair, 2 * kLast + 1> powers;
    for (int step = -kLast; step <= kLast; ++step)
      powers[static_cast<std::size_t>(step + kLast)] = small_exp({step / static_cast<double>(kSteps), 0});
    return powers;
  }();
  const double step = std::nearbyint(x.high * kSteps);
  const Pair r = quick_sum(x.high - step / kSteps, x.low);  // the difference is exact
  double tail = 0;  // sum of the terms from r^3 / 6 on, divided by r^3; behind r^8 nothing is left
  for (const double factor : {1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6})
    tail = tail * r.high + factor;
  const Pair part = r + r * r * 0.5 + Pair{r.high * r.high * r.high * tail, 0};  // e^r - 1
  const Pair power = kPowers[static_cast<std::size_t>(static_cast<int>(step) + kLast)];
  return power + power * part;
}

/// Whether a value that is known to 66 bits has one nearest double; if so it is `nearest`.
bool is_certain(Pair quick, double& nearest) {
  const double doubt = std::abs(quick.high) * 0x1p-66;
  nearest = quick.high + (quick.low + doubt);
  return nearest == quick.high + (quick.low - doubt);
}

/// e^x for |x| < 746: x = n ln 2 + rest.
double exp_of(Pair x) {
  const double n = std::nearbyint(x.high / kLn2.high);
  const Pair rest = x + -(kLn2 * n);
  double result = 0;
  if (!is_certain(quick_small_exp(rest), result)) result = small_exp(rest).high;
  return std::ldexp(result, static_cast<int>(n));
}

struct SinCos {
  Pair sin, cos;
};

/// Taylor sums for |x| <= pi / 4.
SinCos small_sin_cos(Pair x) {
  const Pair square = x * x;
  Pair sin{1, 0}, cos{1, 0};
  for (int k = 26; k >= 2; k -= 2) {
    cos = Pair{1, 0} + -(square * cos / Pair{static_cast<double>(k * (k - 1)), 0});
    sin = Pair{1, 0} + -(square * sin / Pair{static_cast<double>(k * (k + 1)), 0});
  }
  return {sin * x, cos};
}

SinCos sin_cos(double x) {
  const double quarter = std::nearbyint(x / kHalfPi.high);
  const SinCos part = small_sin_cos(Pair{x, 0} + -(kHalfPi * quarter));
  switch (static_cast<long>(quarter) & 3) {
    case 0:
      return part;
    case 1:
      return {part.cos, -part.sin};
    case 2:
      return {-part.sin, -part.cos};
    default:
      return {-part.cos, part.sin};
  }
}

/// For 0 <= x <= 1: the angle is halved three times, then atan x = x - x^3/3 + x^5/5 - ...
double small_atan(double x) {
  for (int i = 0; i < 3; ++i) x /= 1 + std::sqrt(1 + x * x);
  const double square = x * x;
  double sum = 0;
  for (int k = 12; k >= 0; --k) sum = 1.0 / (2 * k + 1) - square * sum;
  return 8 * x * sum;
}

}  // namespace

double exp(double x) {
  if (std::isnan(x)) return x;
  if (x < -745.2) return 0;
  if (x > 709.8) return kInfinity;
  return exp_of({x, 0});
}

double log(double x) {
  if (x == 0) return -kInfinity;
  if (!(x > 0)) return std::numeric_limits<double>::quiet_NaN();
  if (std::isinf(x)) return x;
  double result = 0;
  return is_certain(quick_log_of(x), result) ? result : log_of({x, 0}).high;
}

double log1p(double x) {
  if (x == -1) return -kInfinity;
  if (!(x > -1)) return std::numeric_limits<double>::quiet_NaN();
  if (std::isinf(x)) return x;
  if (std::abs(x) < 0x1p-70) return x;
  return log_of(exact_sum(1, x)).high;
}

double pow(double x, double y) {
  if (y == 0) return 1;
  if (x == 0) return y > 0 ? 0 : kInfinity;
  if (std::isnan(y) || !(x > 0)) return std::numeric_limits<double>::quiet_NaN();
  if (std::isinf(x)) return y > 0 ? x : 0;
  if (std::abs(y) > 0x1p+63) return x == 1 ? 1 : (x > 1) == (y > 0) ? kInfinity : 0;
  const Pair power = log_of({x, 0}) * y;
  if (power.high < -745.2) return 0;
  if (power.high > 709.8) return kInfinity;
  return exp_of(power);
}

double sin(double x) {
  return sin_cos(x).sin.high;
}
double cos(double x) {
  return sin_cos(x).cos.high;
}
double tan(double x) {
  const SinCos part = sin_cos(x);
  return (part.sin / part.cos).high;
}

double atan2(double y, double x) {
  const double a = std::abs(x), b = std::abs(y);
  if (a == 0 && b == 0) return std::copysign(std::signbit(x) ? std::numbers::pi : 0, y);
  double angle = b <= a ? small_atan(b / a) : std::numbers::pi / 2 - small_atan(a / b);
  if (std::signbit(x)) angle = std::numbers::pi - angle;
  return std::copysign(angle, y);
}

}  // namespace markeval::elementary
