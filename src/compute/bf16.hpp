// The number a bf16 product reads, and may write for the next one to read.
#pragma once

#include <cstdint>

namespace markeval::compute {

/// The upper 16 bits of a float32.
struct Bf16 {
  std::uint16_t bits;
};

}  // namespace markeval::compute
