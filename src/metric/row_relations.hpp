// The token rows of many pairs of texts held against each other, all by one call of the device.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "compute/device.hpp"
#include "metric/token_rows.hpp"

namespace markeval::metric {

class RowRelations {
 public:
  /// So many numbers are asked for at a time: few enough to stay in memory, whatever the texts.
  static constexpr std::size_t kMostNumbers = std::size_t{1} << 22;

  /// One more pair. The rows must stay where they are until `compute`.
  void add(MatrixView<const float> first, MatrixView<const float> second);
  /// One more pair, part by part.
  void add(const TokenRows& first, const TokenRows& second, std::size_t parts);
  std::size_t pairs() const { return pairs_.size(); }
  bool full() const { return size_ >= kMostNumbers; }
  void compute(compute::RowRelation relation, compute::Device& device);
  /// After `compute`: (parts x first rows) x second rows.
  MatrixView<const float> of(std::size_t pair) const {
    const compute::RowMatch& first = matches_[pairs_[pair].first];
    return {first.out.data(), pairs_[pair].parts * first.out.rows(), first.out.columns()};
  }

 private:
  struct PairRange {
    std::size_t first, parts;  ///< in matches_
  };
  std::vector<compute::RowMatch> matches_;
  std::vector<PairRange> pairs_;
  std::size_t size_ = 0;
  std::vector<float> values_;
};

/// Fills in TokenRows::spread.
void find_spreads(std::span<TokenRows* const> texts, compute::Device& device);

}  // namespace markeval::metric
