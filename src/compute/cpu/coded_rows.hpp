// The neighbour filter on the CPU: rows of int8 codes, once row by row (for pairs measured one by one) and
// once in the layout of either side of the product, since a set meets itself and others on both.
#pragma once

#include <vector>

#include "base/aligned_buffer.hpp"
#include "base/matrix_view.hpp"
#include "base/parallel.hpp"
#include "compute/cpu/kernels.hpp"
#include "compute/device.hpp"

namespace markeval::compute::cpu {

/// Query panels that meet one base panel while it is in the first cache; their own codes stay in the second.
inline constexpr std::size_t kQueryBlockRows = 288;  // a multiple of every kernel's rows

class CpuCodedRows final : public CodedRows {
 public:
  CpuCodedRows(MatrixView<const std::int8_t> codes, std::span<const float> scale,
               std::span<const float> squared_norm, const CodeKernel& kernel, ThreadPool& pool);

  std::size_t rows() const override { return rows_; }
  std::size_t columns() const override { return columns_; }

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
  /// The length of the row's codes from kFirstCodes on, divided by the root of two: no less, where it is
  /// below 255. Only where the kernel has multiply_select.
  const std::uint8_t* rest() const { return rest_.data(); }

 private:
  const CodeKernel& kernel_;
  std::size_t rows_, columns_, padded_columns_, row_stride_, base_panel_bytes_, query_panel_bytes_;
  AlignedBuffer<std::int8_t> codes_;
  AlignedBuffer<std::byte> base_panels_, query_panels_;
  AlignedBuffer<float> scale_, squared_norm_;
  std::vector<std::uint8_t> rest_;
};

/// As Device::select_pairs.
std::size_t select_pairs(const CpuCodedRows& query, const CpuCodedRows& base, const Tile& tile,
                         const float* query_limit, const float* base_limit, std::span<CodedPair> found,
                         const PairKernels& kernels);

/// As Device::measure_pairs.
void measure_pairs(const CpuCodedRows& query, const CpuCodedRows& base, std::span<CodedPair> pairs,
                   const PairKernels& kernels);

}  // namespace markeval::compute::cpu
