// The arithmetic of the neighbour filter: rows of int8 codes against each other, tile by tile. Only the CPU's
// filter (geometry/cpu) uses it. It is no part of Device, since another device finds neighbours in its own
// way, behind geometry/set_engine.hpp. Everything here lies in host memory, and every call runs on the
// calling thread unless it says otherwise: the filter spreads its tiles over the pool.
//
// What must hold: products of codes are exact, and a distance is off by no more than kCodedError says. Step
// 4 of docs/background/exactness.md rests on that; tests/contract/pairs_test.cpp checks it for every
// instruction set.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "base/matrix_view.hpp"
#include "base/parallel.hpp"
#include "compute/cpu/kernels.hpp"
#include "compute/device.hpp"

namespace markeval::compute::cpu {

/// Five roundings of terms no larger than norm[q] + norm[b] + 2 |scale scale dot| <= 2 (norm[q] + norm[b]),
/// doubled.
inline constexpr float kCodedError = 20 * 0x1.0p-24f;
/// The integer product stays below 2^31 up to this width (127 * 127 * 131072 < 2^31).
inline constexpr std::size_t kMaxCodedColumns = 131072;
/// Query panels that meet one base panel while it is in the first cache; their own codes stay in the second.
inline constexpr std::size_t kQueryBlockRows = 288;  // a multiple of every kernel's rows

/// A pair of rows with the squared distance of the two coded points.
struct CodedPair {
  std::uint32_t query;
  std::uint32_t base;
  float squared_distance;
};

/// A tile of the pair matrix: rows [query_begin, query_end) of one set against [base_begin, base_end) of
/// another.
struct Tile {
  std::size_t query_begin, query_end;
  std::size_t base_begin, base_end;
  std::size_t pairs() const { return (query_end - query_begin) * (base_end - base_begin); }
};

/// Rows for the filter. Row i stands for the point scale[i] * codes[i], whose squared length is
/// squared_norm[i]; how far that is from the true point is the caller's knowledge. The codes are kept three
/// times: row by row, for pairs that are measured one by one, and in the layout of either side of the
/// product, since a set meets itself and others on both sides.
class CodedRows {
 public:
  /// `codes` are within [-127, 127], at most kMaxCodedColumns of them in a row. Threads of the pool share the
  /// work.
  CodedRows(MatrixView<const std::int8_t> codes, std::span<const float> scale,
            std::span<const float> squared_norm, const CodeKernel& kernel, ThreadPool& pool);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }

  const CodeKernel& kernel() const { return kernel_; }
  /// Zeros follow up to a multiple of kRowPadding.
  const std::int8_t* row(std::size_t index) const { return codes_.data() + index * row_stride_; }
  std::size_t row_stride() const { return row_stride_; }
  std::size_t padded_columns() const { return padded_columns_; }
  const std::byte* base_panel(std::size_t index) const {
    return base_panels_.data() + index * base_panel_bytes_;
  }
  const std::byte* query_panel(std::size_t index) const {
    return query_panels_.data() + index * query_panel_bytes_;
  }
  std::size_t query_panel_bytes() const { return query_panel_bytes_; }
  /// Padded to full panels.
  const float* scale() const { return scale_.data(); }
  const float* squared_norm() const { return squared_norm_.data(); }

 private:
  const CodeKernel& kernel_;
  std::size_t rows_, columns_, padded_columns_, row_stride_, base_panel_bytes_, query_panel_bytes_;
  AlignedBuffer<std::int8_t> codes_;
  AlignedBuffer<std::byte> base_panels_, query_panels_;
  AlignedBuffer<float> scale_, squared_norm_;
};

/// What the filter asks of an instruction set.
class PairOperations {
 public:
  /// `pool` must outlive it.
  PairOperations(const Kernels& kernels, ThreadPool& pool) : kernels_(kernels), pool_(pool) {}

  std::unique_ptr<CodedRows> pack(MatrixView<const std::int8_t> codes, std::span<const float> scale,
                                  std::span<const float> squared_norm) const;

  /// Writes the pairs of the tile whose coded squared distance
  ///   norm[q] + norm[b] - 2 scale[q] scale[b] dot(q, b)
  /// is at most the limit of q or the limit of b, and returns how many there are; pairs beyond `found.size()`
  /// are counted but not written. They come ordered by query row within the kernel's blocks; the order is the
  /// same for every run. Limits are those of the tile's rows alone, may be infinite, never NaN.
  std::size_t select(const CodedRows& query, const CodedRows& base, const Tile& tile,
                     std::span<const float> query_limits, std::span<const float> base_limits,
                     std::span<CodedPair> found) const;
  /// Fills in the squared distance of every listed pair, for a second stage with wider codes; same formula,
  /// same error.
  void measure(const CodedRows& query, const CodedRows& base, std::span<CodedPair> pairs) const;

  /// So many pairs of `select` cost as much as one of `measure`, roughly.
  double pair_cost() const { return kernels_.codes->pair_cost; }

 private:
  const Kernels& kernels_;
  ThreadPool& pool_;
};

/// Those of the instruction set a CPU device works with; null for any other device.
const PairOperations* pair_operations(Device& device);

}  // namespace markeval::compute::cpu
