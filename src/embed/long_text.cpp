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

std::vector<TextWindow> text_windows(std::size_t tokens, std::size_t size) {
  assert(size > 0);
  std::vector<TextWindow> windows{{0, std::min(tokens, size), 0, std::min(tokens, size)}};
  const std::size_t step = std::max<std::size_t>(1, size / 2);
  while (windows.back().end < tokens) {
    TextWindow& last = windows.back();
    const std::size_t begin = std::min(last.begin + step, tokens - size);
    const std::size_t middle = (begin + last.end) / 2;
    last.keep_end = middle;
    windows.push_back({begin, begin + size, middle, begin + size});
  }
  return windows;
}

}  // namespace markeval::embed
