// The driver of the packed matrix product: who packs what, in which order tiles are computed, by whom.
#pragma once

#include "base/aligned_buffer.hpp"
#include "base/matrix_view.hpp"
#include "base/parallel.hpp"
#include "compute/cpu/kernels.hpp"

namespace markeval::compute::cpu {

/// Weights (outputs x inputs) in the layout of one kernel.
class PackedMatrix {
 public:
  PackedMatrix(MatrixView<const float> weights, const GemmKernel& kernel, ThreadPool& pool);

  std::size_t outputs() const { return outputs_; }
  std::size_t inputs() const { return inputs_; }
  std::size_t padded_inputs() const { return padded_inputs_; }
  std::size_t panels() const { return panels_; }
  std::size_t bytes() const { return packed_.size(); }
  const GemmKernel& kernel() const { return kernel_; }
  /// From element `first` of the inputs on; `first` is a multiple of the kernel's depth.
  const std::byte* panel(std::size_t index, std::size_t first) const {
    return packed_.data() + (index * padded_inputs_ + first) * kernel_.right.rows * kernel_.element_bytes;
  }

 private:
  const GemmKernel& kernel_;
  std::size_t outputs_, inputs_, padded_inputs_, panels_;
  AlignedBuffer<std::byte> packed_;
};

struct ProductEpilogue {
  float scale = 1;
  const float* bias = nullptr;
  TileActivation activation = TileActivation::none;
  MatrixView<const float> residual{};  ///< empty for none
};

/// out = activation(scale * in * transposed(weights) + bias) + residual. In and Out are float or, where the
/// weights are those of a bf16 kernel, Bf16.
template <typename In, typename Out>
void multiply(MatrixView<const In> in, const PackedMatrix& weights, const ProductEpilogue& epilogue,
              FinishTile<Out> finish_tile, MatrixView<Out> out, ThreadPool& pool);

}  // namespace markeval::compute::cpu
