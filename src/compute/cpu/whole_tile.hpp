// Fills in WholeLimits (kernels.hpp) for a tile of coded pairs, for kernels that have multiply_select. Limits
// as whole numbers let a kernel decide a whole tile by the signs of its sums. whole_tile.cpp says how a limit
// is made whole, and docs/background/exactness.md, step 7, why no pair is lost.
#pragma once

#include "compute/cpu/pair_operations.hpp"
#include "compute/cpu/scratch.hpp"

namespace markeval::compute::cpu {

/// Converts to false for a tile whose rows do not have one scale on either side: it has no whole limits.
class WholeTile {
 public:
  /// `first_base`: of the tile's first panel; `base_count`: rows of all its panels.
  WholeTile(const CodedRows& query, const CodedRows& base, const Tile& tile, std::size_t first_base,
            std::size_t base_count, ScratchBuffer& base_scratch);
  explicit operator bool() const { return fits_; }

  void fill_bases(const Tile& tile, std::span<const float> limits);
  /// At most kQueryBlockRows, with their limits.
  void fill_queries(const CodedRows& query, std::size_t begin, std::size_t end, std::span<const float> limits,
                    ScratchBuffer& scratch);
  /// Limits of the queries filled in and of the panel that begins at this base row.
  WholeLimits limits(std::size_t base_row) const {
    const std::size_t first = base_row - first_base_;
    return {query_reach_,
            base_reach_ + first,
            query_bounds_,
            base_bounds_ + first * kPairBounds,
            base_back_ + first * kPairBounds,
            first_columns_};
  }

 private:
  /// What the squared lengths of one side take off a sum, row by row from the tile's first. All rows take off
  /// `least`; what a row takes off beyond that is counted in steps and becomes a code. A length of the rest
  /// that is too large for a code is cut, and what the cut leaves out is put back here.
  struct NormSide {
    NormSide() = default;
    /// `taken` has room for all rows; other_longest is 0 where only all columns can tell.
    NormSide(const CodedRows& rows, std::size_t begin, std::size_t end, double unit, int other_longest,
             std::int32_t* taken);
    /// A row takes off at least `least` + step * (127 - code).
    std::int8_t norm_code(std::size_t row) const {
      const int down = static_cast<int>(static_cast<float>(taken_off[row] - least) * steps);
      return static_cast<std::int8_t>(127 - (down < 254 ? down : 254));
    }
    std::int8_t rest_code(std::size_t row) const {
      return static_cast<std::int8_t>(rests[row] < 127 ? rests[row] : 127);
    }

    const std::int32_t* taken_off = nullptr;
    const std::uint8_t* rests = nullptr;
    std::int32_t least = 0;
    std::int8_t step = 1;
    float steps = 1;  ///< 1 / step, a little less
  };
  std::int32_t reach(float limit) const;

  bool fits_;
  std::size_t first_query_, first_base_;
  std::size_t first_columns_ = 0;
  double unit_ = 0;
  NormSide query_side_, base_side_;
  std::int32_t offset_ = 0;
  std::int32_t *base_reach_, *query_reach_ = nullptr;
  std::int8_t *base_bounds_, *base_back_, *query_bounds_ = nullptr;
};

}  // namespace markeval::compute::cpu
