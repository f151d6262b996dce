// Greedy matching by cosine: every token takes its best partner on the other side. BERTScore (Zhang et al.
// 2020) weighs both directions, BERTR (Mathur et al. 2019) is the mean over the reference's tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "metric/token_rows.hpp"

namespace markeval::metric {

struct PrecisionRecall {
  double precision = 0;
  double recall = 0;
  double f1 = 0;
};

/// 2PR / (P + R); 0 where the two have not the same sign.
double harmonic_mean(double precision, double recall);

/// A row's partner on the other side: lowest row among the best.
struct Match {
  std::uint32_t row = 0;
  double similarity = 0;
};

/// What a best cosine below 0 counts: itself, or 0. PyPI bert_score sets the cells of its padding to 0 and
/// takes the maximum over them too, so it counts 0 for every text that is not the longest of its batch.
enum class NegativeMatch { keep, zero };

/// The mean of the matches' similarities by the weights of their rows; by equal weights where all are zero.
/// It is divided once, so a mean of ones is exactly 1.
double weighted_mean(const std::vector<Match>& matches, const std::vector<double>& weights,
                     NegativeMatch negative = NegativeMatch::keep);

/// Scratch for one thread.
class GreedyMatcher {
 public:
  /// `cosines` is candidate rows x reference rows. Each direction is the weighted mean of its rows' best
  /// cosines; equal weights where all are zero. Both sides need a row.
  PrecisionRecall match(const TokenRows& candidate, const TokenRows& reference,
                        MatrixView<const float> cosines, NegativeMatch negative = NegativeMatch::keep);

  /// Partner of every row in the last match, with their cosine whatever its sign.
  const std::vector<Match>& candidate_matches() const { return candidate_matches_; }
  const std::vector<Match>& reference_matches() const { return reference_matches_; }

 private:
  std::vector<Match> candidate_matches_;
  std::vector<Match> reference_matches_;
};

}  // namespace markeval::metric
