// The formulas of the Petersen, Schnabel and CAPTURE estimators, with log-gamma differences free of
// cancellation.
#include "metric/population.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/elementary.hpp"

namespace markeval::metric {
namespace {

// log(1 + u) / u - 1, exact to the last bits also for small u, where the two terms nearly cancel.
double log1p_ratio_minus_1(double u) {
  if (u > 0.05) return elementary::log1p(u) / u - 1;
  double sum = 0, power = -u;
  for (int n = 2; n < 16; ++n) {
    sum += power / n;
    power *= -u;
  }
  return sum;
}

}  // namespace

double population_score(double estimate, std::uint64_t population) {
  if (!std::isfinite(estimate)) return 0;
  const double truth = static_cast<double>(population);
  return 1 - std::min(std::abs(estimate - truth) / truth, 1.0);
}

double petersen_estimate(std::uint64_t marked, std::uint64_t captured, std::uint64_t recaptured) {
  if (recaptured == 0) return INFINITY;
  return static_cast<double>(captured) * static_cast<double>(marked) / static_cast<double>(recaptured);
}

Recaptures schnabel_visits(std::span<const std::uint32_t> hits, std::span<const std::uint8_t> covered,
                           std::size_t k) {
  assert(hits.size() == covered.size());
  Recaptures total;
  for (std::size_t row = 0; row < hits.size(); ++row) {
    total.captured += k + 1 + hits[row];
    total.recaptured += k + hits[row] + covered[row];
  }
  return total;
}

double schnabel_estimate(const Recaptures& visits, std::uint64_t population) {
  if (visits.recaptured == 0) return INFINITY;
  return static_cast<double>(visits.captured) * static_cast<double>(population) /
         static_cast<double>(visits.recaptured);
}

double capture_log_likelihood_step(const CaptureCounts& counts, std::uint64_t population) {
  const double occasions = static_cast<double>(counts.occasions);
  const double chances = static_cast<double>(counts.occasions * population);                   // A = TN
  const double missed = static_cast<double>(counts.occasions * population - counts.captured);  // B = TN - C
  const double next_chances = static_cast<double>(counts.occasions * (population + 1));        // A' = A + T
  // lnG(N+2) - lnG(N+1) - lnG(N-M+2) + lnG(N-M+1) = ln(N+1) - ln(N+1-M)
  const double unmarked = static_cast<double>(population + 1 - counts.marked);
  const double first = elementary::log(static_cast<double>(population + 1) / unmarked);
  // B' ln B' - B ln B - A' ln A' + A ln A = B ln(B'/B) - A ln(A'/A) + T ln(B'/A'), where x ln((x+T)/x) = T +
  // T r(T/x): the two T cancel before any rounding.
  const double ratio_of_missed = missed > 0 ? log1p_ratio_minus_1(occasions / missed) : -1;
  const double second = occasions * (ratio_of_missed - log1p_ratio_minus_1(occasions / chances) +
                                     elementary::log1p(-static_cast<double>(counts.captured) / next_chances));
  return first + second;
}

double capture_estimate(const CaptureCounts& counts) {
  assert(counts.occasions > 0 && counts.occasions * counts.marked >= counts.captured);
  if (counts.captured <= counts.marked) return INFINITY;
  const auto rises_at = [&](std::uint64_t population) {
    return capture_log_likelihood_step(counts, population) > 0;
  };
  if (!rises_at(counts.marked)) return static_cast<double>(counts.marked);
  std::uint64_t rising = counts.marked, width = 1;
  while (rises_at(rising + width)) {
    rising += width;
    width *= 2;
  }
  std::uint64_t falling = rising + width;
  while (falling - rising > 1) {
    const std::uint64_t middle = rising + (falling - rising) / 2;
    (rises_at(middle) ? rising : falling) = middle;
  }
  return static_cast<double>(falling);
}

}  // namespace markeval::metric
