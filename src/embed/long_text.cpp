#include "embed/long_text.hpp"

#include <algorithm>
#include <cassert>

namespace markeval::embed {

TextShape text_shape(std::span<const std::uint8_t> special) {
  TextShape shape;
  while (shape.before < special.size() && special[shape.before] != 0) ++shape.before;
  while (shape.before + shape.after < special.size() && special[special.size() - 1 - shape.after] != 0)
    ++shape.after;
  shape.tokens = special.size() - shape.before - shape.after;
  return shape;
}

std::vector<std::size_t> window_starts(std::size_t tokens, std::size_t size) {
  assert(size > 0);
  std::vector<std::size_t> starts{0};
  const std::size_t step = std::max<std::size_t>(1, size / 2);
  while (starts.back() + size < tokens) starts.push_back(std::min(starts.back() + step, tokens - size));
  return starts;
}

void WindowMean::add(std::size_t start, MatrixView<const float> rows) {
  const std::size_t tokens = rows.rows() - shape_.before - shape_.after;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    std::size_t place = row;  // of the leading special tokens
    if (row >= shape_.before + tokens) {
      place = shape_.before + shape_.tokens + (row - shape_.before - tokens);
    } else if (row >= shape_.before) {
      place = start + row;
    }
    ++counts_[place];
    for (std::size_t column = 0; column < columns_; ++column)
      sums_[place * columns_ + column] += rows(row, column);
  }
}

std::vector<float> WindowMean::mean() const {
  std::vector<float> result(sums_.size());
  for (std::size_t index = 0; index < sums_.size(); ++index) {
    result[index] = static_cast<float>(sums_[index] / static_cast<double>(counts_[index / columns_]));
  }
  return result;
}

}  // namespace markeval::embed
