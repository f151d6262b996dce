// The products of compute/products.hpp on the CPU. products.cpp has those of float32, double_products.cpp of
// float64.
#pragma once

#include "compute/cpu/kernels.hpp"
#include "compute/products.hpp"

namespace markeval::compute::cpu {

class CpuProducts final : public Products {
 public:
  /// `pool` must outlive it.
  CpuProducts(const Kernels& kernels, ThreadPool& pool);

  ThreadPool& pool() const override { return pool_; }

  using Products::multiply;
  void pack(Operand<float> right, PackedOperand<float>& packed) const override;
  void pack(Operand<double> right, PackedOperand<double>& packed) const override;
  void multiply(Operand<float> left, const PackedOperand<float>& right, MatrixView<float> out,
                bool accumulate) const override;
  void multiply(Operand<double> left, const PackedOperand<double>& right, MatrixView<double> out,
                bool accumulate) const override;
  void lstm_step(const LstmStep<float>& step) const override { kernels_.networks->lstm_step(step); }
  void mix_layers(const MixedWord& mix) const override { kernels_.networks->mix_layers(mix); }

 private:
  ThreadPool& pool_;
  const Kernels& kernels_;
};

}  // namespace markeval::compute::cpu
