// The numbers a model learns: a list of named matrices in one piece of memory, so that the optimiser, the
// norm of the gradient and the files need not know what a model is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/matrix.hpp"
#include "base/matrix_view.hpp"

namespace markeval::trained {

enum class Start {
  zero,
  xavier,        ///< uniform in +-sqrt(6 / (rows + columns)) (Glorot and Bengio 2010)
  orthogonal,    ///< orthonormal columns (or rows, where there are fewer of them)
  lstm_bias,     ///< zero, but 1 for the forget gates: the second quarter
  small_normal,  ///< normal, deviation 0.3
  equal,         ///< one over the columns
  ramp,          ///< 8 over the columns, half of that more or less at random
  ramp_foot,     ///< -8 times what goes evenly from 0.5 to 1: where the ramps of `ramp` begin
};

struct ParameterSpec {
  std::string name;
  std::size_t rows = 0;
  std::size_t columns = 0;
  Start start = Start::zero;
  std::size_t blocks = 1;  ///< the rows are so many matrices of equal size, each started by itself
  std::size_t offset = 0;  ///< in elements, set by ParameterLayout

  std::size_t size() const { return rows * columns; }
};

class ParameterLayout {
 public:
  /// Gives back the index to find it by.
  std::size_t add(std::string name, std::size_t rows, std::size_t columns, Start start,
                  std::size_t blocks = 1) {
    specs_.push_back({std::move(name), rows, columns, start, blocks, size_});
    size_ += rows * columns;
    return specs_.size() - 1;
  }
  std::span<const ParameterSpec> specs() const { return specs_; }
  std::size_t size() const { return size_; }  ///< in elements

 private:
  std::vector<ParameterSpec> specs_;
  std::size_t size_ = 0;
};

/// Values, gradients or moments, in the order of a layout, which must outlive it.
template <typename T>
class Parameters {
 public:
  explicit Parameters(const ParameterLayout& layout) : layout_(&layout), values_(1, layout.size()) {
    values_.fill(0);
  }
  MatrixView<T> operator[](std::size_t index) {
    const ParameterSpec& spec = layout_->specs()[index];
    return {values_.data() + spec.offset, spec.rows, spec.columns};
  }
  MatrixView<const T> operator[](std::size_t index) const {
    const ParameterSpec& spec = layout_->specs()[index];
    return {values_.data() + spec.offset, spec.rows, spec.columns};
  }
  const ParameterLayout& layout() const { return *layout_; }
  std::span<T> values() { return {values_.data(), layout_->size()}; }
  std::span<const T> values() const { return {values_.data(), layout_->size()}; }

 private:
  const ParameterLayout* layout_;
  Matrix<T> values_;
};

/// The values training starts from: the same for the same seed, parameter by parameter.
void start_parameters(std::uint64_t seed, Parameters<float>& parameters);

}  // namespace markeval::trained
