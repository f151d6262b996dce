// One pass over the cosine matrix gives the best partner of each row and column; their weighted means are
// precision and recall.
#include "metric/greedy_match.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace markeval::metric {

double weighted_mean(const std::vector<Match>& matches, const std::vector<double>& weights,
                     NegativeMatch negative) {
  const double least = negative == NegativeMatch::zero ? 0 : -std::numeric_limits<double>::infinity();
  const bool equal = weightless(weights);
  double sum = 0;
  double total = 0;
  for (std::size_t row = 0; row < matches.size(); ++row) {
    const double weight = equal ? 1 : weights[row];
    sum += weight * std::max(matches[row].similarity, least);
    total += weight;
  }
  return sum / total;
}

double harmonic_mean(double precision, double recall) {
  if (precision * recall <= 0) return 0;
  return 2 * precision * recall / (precision + recall);
}

PrecisionRecall GreedyMatcher::match(const TokenRows& candidate, const TokenRows& reference,
                                     MatrixView<const float> cosines, NegativeMatch negative) {
  assert(!candidate.empty() && !reference.empty());
  assert(cosines.rows() == candidate.rows() && cosines.columns() == reference.rows());
  candidate_matches_.assign(candidate.rows(), {0, cosines(0, 0)});
  reference_matches_.assign(reference.rows(), {0, 0});
  for (std::size_t row = 0; row < candidate.rows(); ++row) {
    Match best{0, cosines(row, 0)};
    for (std::size_t column = 0; column < reference.rows(); ++column) {
      const double similarity = cosines(row, column);
      if (similarity > best.similarity) best = {static_cast<std::uint32_t>(column), similarity};
      Match& other = reference_matches_[column];
      if (row == 0 || similarity > other.similarity) other = {static_cast<std::uint32_t>(row), similarity};
    }
    candidate_matches_[row] = best;
  }
  PrecisionRecall result;
  result.precision = weighted_mean(candidate_matches_, candidate.weights, negative);
  result.recall = weighted_mean(reference_matches_, reference.weights, negative);
  result.f1 = harmonic_mean(result.precision, result.recall);
  return result;
}

}  // namespace markeval::metric
