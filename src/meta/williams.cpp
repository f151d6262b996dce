// The t statistic from three correlations, with rows - 3 degrees of freedom.
#include "meta/williams.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "meta/student_t.hpp"

namespace markeval::meta {

std::optional<WilliamsResult> williams_test(double first, double second, double between, std::size_t rows) {
  for (const double r : {first, second, between}) {
    if (!(std::fabs(r) <= 1)) throw_invalid(fmt::format("a correlation of {}, expected -1 to 1", r));
  }
  if (rows < 4) return std::nullopt;
  const double n = static_cast<double>(rows);
  WilliamsResult result;
  result.degrees_of_freedom = n - 3;
  if (first != second) {
    // The determinant of a correlation matrix: never negative but for rounding.
    const double determinant =
        std::max(0.0, 1 - first * first - second * second - between * between + 2 * first * second * between);
    const double mean = (first + second) / 2, apart = 1 - between;
    const double denominator = 2 * determinant * (n - 1) / (n - 3) + mean * mean * apart * apart * apart;
    const double numerator = (first - second) * std::sqrt((n - 1) * (1 + between));
    if (!(denominator > 0)) return std::nullopt;
    result.t = numerator / std::sqrt(denominator);
  }
  result.p_value = student_t_two_sided(result.t, result.degrees_of_freedom);
  result.p_greater = student_t_upper_tail(result.t, result.degrees_of_freedom);
  return result;
}

}  // namespace markeval::meta
