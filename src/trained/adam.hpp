// Adam (Kingma and Ba 2015) with the gradient cut to a largest norm first.
#pragma once

#include <cstdint>
#include <span>

#include "base/parallel.hpp"

namespace markeval::trained {

struct AdamOptions {
  double learning_rate = 4e-4;
  double first_decay = 0.9;
  double second_decay = 0.999;
  double epsilon = 1e-8;
};

/// All become 0.
void clear(ThreadPool& pool, std::span<float> values);

/// The length of a vector; sums in double, in a fixed order.
double euclidean_norm(ThreadPool& pool, std::span<const float> values);

/// What a step changes: the moments of the gradient and the values themselves.
struct AdamState {
  std::span<float> first, second, values;
};
/// Step number `step` (from 1) with `scale` * gradient.
void adam_step(ThreadPool& pool, const AdamOptions& options, std::uint64_t step, double scale,
               std::span<const float> gradient, const AdamState& state);

/// values *= `factor`: weight decay apart from the gradient (AdamW, Loshchilov and Hutter 2019).
void shrink(ThreadPool& pool, double factor, std::span<float> values);

}  // namespace markeval::trained
