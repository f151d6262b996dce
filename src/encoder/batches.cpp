// Sequences are sorted by length, longest first, and packed until a batch has enough tokens.
#include "encoder/batches.hpp"

#include <algorithm>
#include <numeric>

namespace markeval::encoder {

std::vector<std::vector<std::size_t>> plan_batches(std::span<const std::size_t> lengths,
                                                   std::size_t batch_tokens) {
  std::vector<std::size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return lengths[a] > lengths[b]; });
  std::vector<std::vector<std::size_t>> batches;
  std::size_t tokens = 0;
  for (const std::size_t sequence : order) {
    if (batches.empty() || tokens + lengths[sequence] > batch_tokens) {
      batches.emplace_back();
      tokens = 0;
    }
    batches.back().push_back(sequence);
    tokens += lengths[sequence];
  }
  return batches;
}

}  // namespace markeval::encoder
