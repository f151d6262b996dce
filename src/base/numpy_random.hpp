// The random numbers of NumPy's default_rng(seed), bit for bit: SeedSequence, PCG64 (XSL-RR 128/64, O'Neill
// 2014), bounded integers by Lemire's method, booleans by bits. For results that must equal those of a tool
// written in Python; everything else uses base/random.hpp.
#pragma once

#include <cstdint>
#include <span>

namespace markeval {

class NumpyGenerator {
 public:
  /// numpy.random.default_rng(seed)
  explicit NumpyGenerator(std::uint64_t seed);

  std::uint64_t next_64();
  /// Halves of next_64(), the low one first.
  std::uint32_t next_32();
  /// integers(0, bound, size=out.size()), which is also choice(bound, size=out.size()). `bound` is 1 .. 2^32
  /// - 1.
  void integers_below(std::uint32_t bound, std::span<std::uint32_t> out);

  /// The stream of integers(2, dtype=bool): one bit each. A call of NumPy starts with a fresh 32-bit draw, so
  /// one object stands for one call.
  class Booleans {
   public:
    explicit Booleans(NumpyGenerator& generator) : generator_(generator) {}
    bool next() {
      if (left_ == 0) {
        bits_ = generator_.next_32();
        left_ = 31;
      } else {
        bits_ >>= 1;
        --left_;
      }
      return (bits_ & 1) != 0;
    }

   private:
    NumpyGenerator& generator_;
    std::uint32_t bits_ = 0;
    int left_ = 0;
  };

 private:
  struct Wide {
    std::uint64_t high, low;
  };
  static Wide add(Wide a, Wide b);
  static Wide multiply(Wide a, Wide b);
  void step();

  Wide state_{0, 0}, increment_{0, 0};
  std::uint32_t buffered_ = 0;
  bool has_buffered_ = false;
};

}  // namespace markeval
