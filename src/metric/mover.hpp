// Mover distances between two texts: soft alignment by optimal transport (MoverScore, Zhao et al. 2019,
// section 3) and hard alignment, every n-gram to its nearest (HMD, section 3.1 and proposition 1). `compat`
// repeats the two public programs, epsilons included.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "compute/device.hpp"
#include "geometry/transport.hpp"
#include "metric/greedy_match.hpp"
#include "metric/token_rows.hpp"

namespace markeval::metric {

enum class MoverDistance { squared, euclidean, cosine };
enum class MoverCompat { none, v1, v2 };

struct MoverOptions {
  MoverDistance distance = MoverDistance::squared;
  MoverCompat compat = MoverCompat::none;
};

/// What the programs add before they divide.
struct MoverEpsilons {
  double window = 0;  ///< to the weight of an n-gram (ngram_rows)
  double length = 0;  ///< to the length of a row
};
MoverEpsilons epsilons(MoverCompat compat);

/// Scratch for one thread. Rows must already be divided by their length (+ epsilons().length). Both sides
/// need a row. `relations` are those of `relation`, candidate rows x reference rows.
class Mover {
 public:
  /// What the device has to say of the rows.
  static compute::RowRelation relation(const MoverOptions& options);

  /// 1 - transport cost between the two sets of rows, masses = weights / their sum; equal masses where all
  /// weights are zero. compat v1: masses sum to slightly less than one and what does not move is charged the
  /// largest distance between any two rows of both texts (which TokenRows::spread must hold); all weights
  /// zero: 1, as that program says. compat v2: 1 / (1 + cost), plain distances in float32; rows of zeros
  /// belong to both texts (dropped tokens) and carry no mass.
  double score(const TokenRows& candidate, const TokenRows& reference, MatrixView<const float> relations,
               const MoverOptions& options);
  /// Shares of mass that the last score moved, from reference row to candidate row.
  std::span<const geometry::Flow> plan() const { return solver_.plan(); }
  /// Distance from a reference row to a candidate row in the last score.
  double distance(std::size_t reference, std::size_t candidate) const {
    return distances_[reference * demand_.size() + candidate];
  }

  /// 1 - weighted mean distance to the nearest row of the other side, from the candidate (precision) and from
  /// the reference (recall).
  PrecisionRecall hard(const TokenRows& candidate, const TokenRows& reference,
                       MatrixView<const float> relations, const MoverOptions& options);
  /// Matches of the last hard alignment; `similarity` is 1 - distance.
  const std::vector<Match>& candidate_matches() const { return candidate_matches_; }
  const std::vector<Match>& reference_matches() const { return reference_matches_; }

 private:
  /// As compat v2 has them: the root of a difference of nearly equal float32 numbers, which is anything from
  /// 0 to 1e-3 for equal words.
  void single_precision_distances(const TokenRows& candidate, const TokenRows& reference,
                                  MatrixView<const float> products);

  geometry::TransportSolver solver_;
  std::vector<double> distances_;  ///< of the last score: reference rows x candidate rows
  std::vector<double> candidate_squares_;
  std::vector<double> reference_squares_;
  std::vector<double> supply_;
  std::vector<double> demand_;
  std::vector<Match> candidate_matches_;
  std::vector<Match> reference_matches_;
};

}  // namespace markeval::metric
