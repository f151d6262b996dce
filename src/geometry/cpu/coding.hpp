// Points as int8 codes for the neighbour filter, each with a proven bound on how far the code is from the
// point.
//
// A row v becomes scale * code, after an orthogonal rotation (signs and Walsh-Hadamard blocks) that spreads
// single large coordinates over many. Rotating does not change distances, so for two rows
//   | |v - w| - |coded v - coded w| |  <=  slack(v) + slack(w)
// where slack is the length of what rounding to the code lost, measured row by row, plus what float
// arithmetic lost. The scale is the one that gives the coded point the row's own length. Only the scalar
// product is unsure then, which says more about rows farther apart than they are long:
//   | |v - w|^2 - |coded v - coded w|^2 |  <=  2 (length(v) slack(w) + slack(v) length(w))
//                                              + square_error(v) + square_error(w)
//
// What must hold: slack, length and square_error are upper bounds, so every rounding on the way to them is
// counted and the result is rounded up. Steps 2 and 3 of docs/background/exactness.md derive them.
#pragma once

#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "base/matrix_view.hpp"
#include "base/parallel.hpp"
#include "compute/cpu/pair_operations.hpp"

namespace markeval::geometry::cpu {

using compute::cpu::CodedPair;
using compute::cpu::CodedRows;
using compute::cpu::kCodedError;
using compute::cpu::PairOperations;
using compute::cpu::Tile;

/// The largest relative error of rounding to float.
inline constexpr double kFloatRounding = 0x1.0p-24;

/// Rows per tile of the pair matrix (a multiple of every kernel's tile); per-block maxima below are over so
/// many rows.
inline constexpr std::size_t kBlockRows = 288;

struct CodedSet {
  std::unique_ptr<CodedRows> rows;
  std::vector<float> slack;         ///< per row
  std::vector<float> squared_norm;  ///< per row, of the coded point
  std::vector<float> length;        ///< per row: neither the point nor the coded point is longer
  std::vector<float> square_error;  ///< per row: how far the point's squared length may be from squared_norm
  /// The largest of each block of kBlockRows rows.
  struct BlockMaxima {
    float slack = 0, squared_norm = 0, length = 0, square_error = 0;
  };
  std::vector<BlockMaxima> blocks;

  void find_maxima();
  /// Some of its rows, in this order.
  CodedSet gather(std::span<const std::uint32_t> chosen, const PairOperations& pairs) const;
};

/// term(0) + ... + term(count - 1), every eighth term in one running sum: a loop that the compiler can turn
/// into vectors, since a single sum it may not reorder.
template <typename Term>
float sum_of_floats(std::size_t count, Term term) {
  float sums[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += term(i + lane);
  }
  for (; i < count; ++i) sums[0] += term(i);
  return std::accumulate(sums, sums + 8, 0.0f);
}

/// Collects rows, then packs them for the products.
class CodeBuilder {
 public:
  CodeBuilder(std::size_t rows, std::size_t columns);

  /// Codes one row. `values` (columns() floats) is overwritten; `error` plus `relative_error` of its length
  /// bounds its distance from the true point. Different rows may be set by different threads.
  void set_row(std::size_t row, float* values, double error, double relative_error = 0);
  CodedSet finish(const PairOperations& pairs);
  std::size_t columns() const { return columns_; }

 private:
  void rotate(float* values) const;

  std::size_t rows_;
  std::size_t columns_;
  double rotation_error_;  ///< relative to the row's length
  std::vector<float> signs_;
  AlignedBuffer<std::int8_t> codes_;
  std::vector<float> scale_;
  std::vector<float> slack_;
  std::vector<float> squared_norm_;
  std::vector<float> length_;
  std::vector<float> square_error_;
};

}  // namespace markeval::geometry::cpu
