// Starting values of each kind of matrix (orthogonal, uniform, normal, constant), from one random stream per
// matrix.
#include "trained/parameters.hpp"

#include <algorithm>
#include <cmath>

#include "base/random.hpp"

namespace markeval::trained {
namespace {

/// Orthonormal vectors by the method of Gram and Schmidt, each vector cleaned twice, in double.
std::vector<double> orthonormal(std::size_t count, std::size_t length, RandomStream& random) {
  std::vector<double> vectors(count * length);
  for (std::size_t index = 0; index < count; ++index) {
    double* const mine = vectors.data() + index * length;
    for (std::size_t i = 0; i < length; ++i) mine[i] = random.normal();
    for (int round = 0; round < 2; ++round) {
      for (std::size_t other = 0; other < index; ++other) {
        const double* const theirs = vectors.data() + other * length;
        double dot = 0;
        for (std::size_t i = 0; i < length; ++i) dot += mine[i] * theirs[i];
        for (std::size_t i = 0; i < length; ++i) mine[i] -= dot * theirs[i];
      }
    }
    double square = 0;
    for (std::size_t i = 0; i < length; ++i) square += mine[i] * mine[i];
    for (std::size_t i = 0; i < length; ++i) mine[i] /= std::sqrt(square);
  }
  return vectors;
}

void start_block(Start start, RandomStream& random, MatrixView<float> block) {
  const std::size_t rows = block.rows(), columns = block.columns();
  switch (start) {
    case Start::zero:
      break;
    case Start::small_normal:
      for (std::size_t row = 0; row < rows; ++row) {
        for (float& value : block.row(row)) value = static_cast<float>(0.3 * random.normal());
      }
      break;
    case Start::equal:
      for (std::size_t row = 0; row < rows; ++row) {
        for (float& value : block.row(row)) value = 1.0f / static_cast<float>(columns);
      }
      break;
    case Start::ramp:
      for (std::size_t row = 0; row < rows; ++row) {
        for (float& value : block.row(row))
          value = static_cast<float>(8 * (0.5 + random.uniform()) / static_cast<double>(columns));
      }
      break;
    case Start::ramp_foot:
      for (std::size_t column = 0; column < columns; ++column) {
        const double share = (static_cast<double>(column) + 0.5) / static_cast<double>(columns);
        block(0, column) = static_cast<float>(-8 * (0.5 + 0.5 * share));
      }
      break;
    case Start::xavier: {
      const double bound = std::sqrt(6.0 / static_cast<double>(rows + columns));
      for (std::size_t row = 0; row < rows; ++row) {
        for (float& value : block.row(row)) value = static_cast<float>(bound * (2 * random.uniform() - 1));
      }
      break;
    }
    case Start::orthogonal: {
      const bool tall = rows >= columns;
      const std::size_t length = std::max(rows, columns);
      const std::vector<double> vectors = orthonormal(std::min(rows, columns), length, random);
      for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t column = 0; column < columns; ++column) {
          block(row, column) =
              static_cast<float>(tall ? vectors[column * length + row] : vectors[row * length + column]);
        }
      }
      break;
    }
    case Start::lstm_bias:
      std::fill(block.data() + columns / 4, block.data() + columns / 2, 1.0f);
      break;
  }
}

}  // namespace

void start_parameters(std::uint64_t seed, Parameters<float>& parameters) {
  const auto specs = parameters.layout().specs();
  for (std::size_t index = 0; index < specs.size(); ++index) {
    RandomStream random(seed, index);
    const ParameterSpec& spec = specs[index];
    const MatrixView<float> matrix = parameters[index];
    std::fill_n(matrix.data(), spec.size(), 0.0f);
    const std::size_t rows = spec.rows / spec.blocks;
    for (std::size_t block = 0; block < spec.blocks; ++block) {
      start_block(spec.start, random, matrix.rows_from(block * rows, rows));
    }
  }
}

}  // namespace markeval::trained
