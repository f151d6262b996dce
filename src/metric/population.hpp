// Population estimators of Mark-Evaluate (Mordido and Meinel 2020, section 3) as functions of counts
// alone: how large is the population from which these samples were marked, captured and recaptured?
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace markeval::metric {

/// 1 - min(|estimate - population| / population, 1); an infinite estimate scores 0.
double population_score(double estimate, std::uint64_t population);

/// captured * marked / recaptured; infinite when nothing was recaptured.
double petersen_estimate(std::uint64_t marked, std::uint64_t captured, std::uint64_t recaptured);

struct Recaptures {
  std::uint64_t captured = 0;
  std::uint64_t recaptured = 0;
};

/// The rows of S' are visited one by one; a visit captures the row, its k neighbours in S' and the rows of S
/// in its ball, and marks them. hits[i]: rows of S inside the ball of row i of S'; covered[i]: row i lies
/// inside a ball of S, so it is marked from the start. The order of visits does not matter: a row that is not
/// covered is new exactly once (docs/background/decisions/007).
Recaptures schnabel_visits(std::span<const std::uint32_t> hits, std::span<const std::uint8_t> covered,
                           std::size_t k);

/// captured * population / recaptured; infinite when nothing was recaptured.
double schnabel_estimate(const Recaptures& visits, std::uint64_t population);

/// Model M0 of Otis et al. 1978: `marked` different animals (M_T) and `captured` captures (C) on `occasions`
/// (T) days.
struct CaptureCounts {
  std::uint64_t occasions = 0;
  std::uint64_t marked = 0;
  std::uint64_t captured = 0;
};

/// ln L(N+1) - ln L(N), without the cancellation of subtracting two likelihoods. ln L(N), up to a constant,
/// is lnG(N+1) - lnG(N-M+1) + C ln C + (TN-C) ln(TN-C) - TN ln(TN), 0 ln 0 = 0. N >= M, TN >= C.
double capture_log_likelihood_step(const CaptureCounts& counts, std::uint64_t population);

/// The N >= M that maximises L; the smaller one of two equal maxima. Found by bracketing and bisecting the
/// step, which changes its sign once. Infinite where every capture was a first one (C <= M).
double capture_estimate(const CaptureCounts& counts);

}  // namespace markeval::metric
