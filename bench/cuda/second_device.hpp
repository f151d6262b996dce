// The device that the programs hold against the CPU: the card, or, built with -DWITHOUT_CARD, the CPU by
// another instruction set, to try the programs themselves.
#pragma once

#include <algorithm>
#include <memory>
#include <thread>

#include "base/cpu_features.hpp"
#include "compute/device.hpp"
#ifndef WITHOUT_CARD
#include "card_device.hpp"
#endif

namespace markeval {

inline std::unique_ptr<compute::Device> second_device([[maybe_unused]] ThreadPool& pool) {
#ifdef WITHOUT_CARD
  return compute::make_cpu_device(pool, Isa::avx2);
#else
  return std::make_unique<compute::card::CardDevice>(0);
#endif
}

inline std::size_t cores_for_reference() {
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 16);
}

}  // namespace markeval
