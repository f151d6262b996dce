// A pool and the CPU device that works on it.
#pragma once

#include <cstddef>
#include <memory>

#include "base/parallel.hpp"
#include "compute/device.hpp"
#include "compute/products.hpp"

namespace markeval::testing {

struct Cpu {
  explicit Cpu(std::size_t threads) : pool(threads), device(compute::make_cpu_device(pool)) {}
  const compute::Products& products() const { return device->products(); }

  ThreadPool pool;
  std::unique_ptr<compute::Device> device;
};

}  // namespace markeval::testing
