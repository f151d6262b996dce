// Weights and states that anybody can make again, by a rule of whole numbers: the scripts that ask PyTorch
// follow it too.
#pragma once

#include <vector>

#include "base/float16.hpp"
#include "trained/parameters.hpp"
#include "trained/sequences.hpp"

namespace markeval::trained {

/// In [-0.5, 0.5).
inline double golden_number(std::size_t index, std::size_t salt) {
  return static_cast<double>((index * 7919 + salt * 104729) % 2003) / 2003 - 0.5;
}

/// Six texts and their references, three layers of width 16.
struct GoldenRows {
  GoldenRows() {
    constexpr std::size_t kSize = 3 * 16;
    const std::vector<std::size_t> lengths{3, 1, 9, 4, 6, 2, 5, 2, 7, 4, 1, 8};
    sequences = TextSpans(lengths);
    for (std::size_t i = 0; i < sequences.rows() * kSize; ++i)
      values.push_back(to_half(static_cast<float>(2 * golden_number(i, 99))));
    for (std::size_t row = 0; row < sequences.rows(); ++row) rows.push_back(values.data() + row * kSize);
  }
  TextSpans sequences;
  std::vector<Half> values;
  std::vector<const Half*> rows;
};

template <typename T>
void set_golden(Parameters<T>& parameters) {
  const auto specs = parameters.layout().specs();
  for (std::size_t index = 0; index < specs.size(); ++index) {
    for (std::size_t i = 0; i < specs[index].size(); ++i)
      parameters[index].data()[i] = static_cast<T>(static_cast<float>(golden_number(i, index)));
  }
}

}  // namespace markeval::trained
