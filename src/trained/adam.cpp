// The update and the norm in blocks of 16,384 values, so that sums have the same order for any number of
// threads.
#include "trained/adam.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/elementary.hpp"

namespace markeval::trained {
namespace {

constexpr std::size_t kAdamBlock = 1u << 14;

std::size_t adam_blocks(std::size_t size) {
  return (size + kAdamBlock - 1) / kAdamBlock;
}

}  // namespace

void clear(ThreadPool& pool, std::span<float> values) {
  pool.for_each(adam_blocks(values.size()), [&](std::size_t block, std::size_t) {
    std::fill_n(values.data() + block * kAdamBlock, std::min(kAdamBlock, values.size() - block * kAdamBlock),
                0.0f);
  });
}

void shrink(ThreadPool& pool, double factor, std::span<float> values) {
  pool.for_each(adam_blocks(values.size()), [&](std::size_t block, std::size_t) {
    const std::size_t end = std::min((block + 1) * kAdamBlock, values.size());
    for (std::size_t i = block * kAdamBlock; i < end; ++i) values[i] *= static_cast<float>(factor);
  });
}

double euclidean_norm(ThreadPool& pool, std::span<const float> values) {
  std::vector<double> partial(adam_blocks(values.size()));
  pool.for_each(partial.size(), [&](std::size_t block, std::size_t) {
    const auto part =
        values.subspan(block * kAdamBlock, std::min(kAdamBlock, values.size() - block * kAdamBlock));
    constexpr std::size_t kLanes = 8;
    double lanes[kLanes] = {};
    std::size_t i = 0;
    for (; i + kLanes <= part.size(); i += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const double value = static_cast<double>(part[i + lane]);
        lanes[lane] += value * value;
      }
    }
    for (; i < part.size(); ++i) lanes[0] += static_cast<double>(part[i]) * static_cast<double>(part[i]);
    for (const double lane : lanes) partial[block] += lane;
  });
  double sum = 0;
  for (const double part : partial) sum += part;
  return std::sqrt(sum);
}

void adam_step(ThreadPool& pool, const AdamOptions& options, std::uint64_t step, double scale,
               std::span<const float> gradient, const AdamState& state) {
  const double count = static_cast<double>(step);
  const auto rate =
      static_cast<float>(options.learning_rate / (1 - elementary::pow(options.first_decay, count)));
  const auto root = static_cast<float>(1 / std::sqrt(1 - elementary::pow(options.second_decay, count)));
  const auto decay1 = static_cast<float>(options.first_decay),
             decay2 = static_cast<float>(options.second_decay);
  const auto rest1 = static_cast<float>(1 - options.first_decay);
  const auto rest2 = static_cast<float>(1 - options.second_decay);
  const auto epsilon = static_cast<float>(options.epsilon), factor = static_cast<float>(scale);
  pool.for_each(adam_blocks(state.values.size()), [&](std::size_t block, std::size_t) {
    const std::size_t begin = block * kAdamBlock, end = std::min(begin + kAdamBlock, state.values.size());
    const float* __restrict const g = gradient.data();
    float* __restrict const m = state.first.data();
    float* __restrict const v = state.second.data();
    float* __restrict const x = state.values.data();
    for (std::size_t i = begin; i < end; ++i) {
      const float d = factor * g[i];
      m[i] = decay1 * m[i] + rest1 * d;
      v[i] = decay2 * v[i] + rest2 * d * d;
      x[i] -= rate * m[i] / (std::sqrt(v[i]) * root + epsilon);
    }
  });
}

}  // namespace markeval::trained
