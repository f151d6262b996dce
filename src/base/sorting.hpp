// Sorting that minds a stop: millions of numbers take longer than a user who pressed Ctrl-C waits.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

namespace markeval {

/// As std::sort with `before`, in pieces that are merged; `check` is called in between and may throw.
template <typename Value, typename Check, typename Before = std::less<Value>>
void sort_in_steps(std::vector<Value>& values, const Check& check, Before before = {}) {
  constexpr std::ptrdiff_t kAtOnce = 1 << 18;
  const std::ptrdiff_t size = std::ssize(values);
  for (std::ptrdiff_t from = 0; from < size; from += kAtOnce) {
    check();
    std::sort(values.begin() + from, values.begin() + std::min(size, from + kAtOnce), before);
  }
  std::vector<Value> merged(size > kAtOnce ? values.size() : 0);
  for (std::ptrdiff_t width = kAtOnce; width < size; width *= 2) {
    for (std::ptrdiff_t from = 0; from < size; from += 2 * width) {
      check();
      const std::ptrdiff_t middle = std::min(size, from + width), to = std::min(size, from + 2 * width);
      std::merge(values.begin() + from, values.begin() + middle, values.begin() + middle, values.begin() + to,
                 merged.begin() + from, before);
    }
    values.swap(merged);
  }
}

}  // namespace markeval
