// What an Evaluator keeps between calls.
#pragma once

#include <memory>

#include "api/markeval.hpp"
#include "api/pair_scoring.hpp"
#include "base/parallel.hpp"
#include "compute/device.hpp"

namespace markeval {

struct Evaluator::State {
  explicit State(std::size_t threads)
      : pool(threads), device(compute::make_cpu_device(pool)), sources(*device) {}
  ThreadPool pool;
  std::unique_ptr<compute::Device> device;
  TokenSources sources;
};

}  // namespace markeval
