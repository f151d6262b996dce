// A text longer than its model, in overlapping windows: each window is a sequence of its own between the
// model's special tokens, and a token's vector is the mean of those it has in the windows it is in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/matrix_view.hpp"

namespace markeval::embed {

/// Special tokens, the text's own, special tokens.
struct TextShape {
  std::size_t before = 0, tokens = 0, after = 0;

  std::size_t total() const { return before + tokens + after; }
};

/// `special`: 1 where the tokenizer's template put the token.
TextShape text_shape(std::span<const std::uint8_t> special);

/// First tokens of the windows of `size` tokens each: half a window apart, the last one ends with the text.
///   window_starts(10, 4) -> {0, 2, 4, 6};  window_starts(3, 4) -> {0}
std::vector<std::size_t> window_starts(std::size_t tokens, std::size_t size);

/// Collects the rows of the windows of one text for one layer.
class WindowMean {
 public:
  WindowMean(const TextShape& shape, std::size_t columns)
      : shape_(shape), columns_(columns), sums_(shape.total() * columns), counts_(shape.total()) {}

  /// Rows of the window that begins at token `start` of the text, special tokens included.
  void add(std::size_t start, MatrixView<const float> rows);
  /// One row per token of the whole text.
  std::vector<float> mean() const;

 private:
  TextShape shape_;
  std::size_t columns_;
  std::vector<double> sums_;
  std::vector<std::size_t> counts_;
};

}  // namespace markeval::embed
