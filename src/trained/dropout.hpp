// Dropout (Srivastava et al. 2014): while training, a share of the values is set to 0 and the rest scaled up.
// One mask row per text lets all its words lose the same columns (Gal and Ghahramani 2016), as the published
// ESIM does before every LSTM; one per row is the plain kind. One mask row for both texts of a pair keeps
// what is the same in them the same: with a mask for each, the distance of two equal texts is mostly dropout.
#pragma once

#include <cstdint>

#include "base/matrix.hpp"
#include "base/random.hpp"
#include "trained/sequences.hpp"

namespace markeval::trained {

/// Which numbers to draw: the same for the same seed and training step, whoever draws them.
struct DropoutDraw {
  double rate = 0;  ///< share of values set to 0; 0: none, as when scoring
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
  bool shared = false;  ///< a text and its reference lose the same columns
};

template <typename T>
class Dropout {
 public:
  /// `place` tells the masks of one step apart.
  void draw(const DropoutDraw& draw, std::uint64_t layer, std::size_t rows, std::size_t columns) {
    rate_ = draw.rate;
    if (rate_ == 0) return;
    mask_.resize(rows, columns);
    RandomStream random(draw.seed, (std::uint64_t{1} << 56) + draw.step * 16 + layer);
    const auto threshold = static_cast<std::uint64_t>(draw.rate * 65536.0);
    const T kept = static_cast<T>(65536.0 / (65536.0 - static_cast<double>(threshold)));
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < rows * columns; ++i, bits >>= 16) {
      if (i % 4 == 0) bits = random.next();
      mask_.data()[i] = (bits & 0xffff) < threshold ? T(0) : kept;
    }
  }

  /// For values as well as for their gradients. A mask of fewer columns is repeated along the row.
  void apply(MatrixView<T> values) const {
    for (std::size_t row = 0; rate_ > 0 && row < values.rows(); ++row) {
      for (std::size_t first = 0; first < values.columns(); first += mask_.columns())
        scale(values.row(row).data() + first, row);
    }
  }
  /// Text i has mask row i, or row i - rows where there are only so many.
  void apply_to_texts(const TextSpans& sequences, MatrixView<T> values) const {
    for (std::size_t sequence = 0; rate_ > 0 && sequence < sequences.count(); ++sequence) {
      for (std::size_t word = 0; word < sequences.length(sequence); ++word)
        scale(values.row(sequences.begin(sequence) + word).data(), sequence % mask_.rows());
    }
  }

 private:
  void scale(T* values, std::size_t mask_row) const {
    const T* const mask = mask_.row(mask_row).data();
    for (std::size_t j = 0; j < mask_.columns(); ++j) values[j] *= mask[j];
  }
  Matrix<T> mask_;
  double rate_ = 0;
};

}  // namespace markeval::trained
