// What tokenisation hands to the encoder: the ids of many sequences end to end, without padding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace markeval::token {

/// Sequence `i` is ids[starts[i], starts[i + 1]); an empty batch has starts == {0}.
///   two sequences "a b" and "c" -> ids {101, 1037, 1038, 102, 101, 1039, 102}, starts {0, 4, 7}
struct PackedBatch {
  std::vector<std::int32_t> ids;
  std::vector<std::size_t> starts{0};

  std::size_t sequences() const { return starts.size() - 1; }
  std::span<const std::int32_t> sequence(std::size_t index) const {
    return {ids.data() + starts[index], starts[index + 1] - starts[index]};
  }
  void clear() {
    ids.clear();
    starts.assign(1, 0);
  }
};

}  // namespace markeval::token
