// Random numbers in independent streams, chosen by (seed, index): work item 17 draws the same numbers
// whichever thread runs it. The generator is xoshiro256** (Blackman and Vigna 2018), seeded by SplitMix64.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace markeval {

class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::uint64_t index);

  std::uint64_t next();
  /// Uniform in [0, bound), without bias. `bound` must be positive.
  std::uint64_t below(std::uint64_t bound);
  /// Uniform in [0, 1) with 53 bits.
  double uniform();
  /// Standard normal (polar method).
  double normal();
  /// 0 .. size-1 in random order (Fisher and Yates).
  std::vector<std::uint32_t> permutation(std::uint32_t size);

 private:
  std::uint64_t state_[4];
};

}  // namespace markeval
