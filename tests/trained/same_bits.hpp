// What every network promises: scores and gradients hang on no thread and on no neighbour in the batch.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "base/float16.hpp"
#include "compute/device.hpp"
#include "trained/dropout.hpp"
#include "trained/parameters.hpp"

namespace markeval::trained {

/// `all`: six pairs; `first`: the first of them alone.
template <typename Network, typename Shape, typename Batch>
void expect_same_bits(const Shape& shape, const Batch& all, const Batch& first, double dropout) {
  std::vector<std::vector<float>> results, gradients;
  for (const std::size_t threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    const auto device = compute::make_cpu_device(pool);
    const compute::Products& products = device->products();
    Network network(shape);
    Parameters<float> parameters(network.layout()), gradient(network.layout());
    start_parameters(9, parameters);
    std::vector<float> scores(6);
    const std::vector<float> d_scores{1, -1, 2, 0.5f, 0.25f, 3};
    network.forward(products, parameters, all, {dropout, 1, 1}, scores);
    network.backward(products, parameters, all, d_scores, gradient);
    gradients.emplace_back(gradient.values().begin(), gradient.values().end());
    network.forward(products, parameters, all, {}, scores);
    results.push_back(scores);
    float alone = 0;
    network.forward(products, parameters, first, {}, std::span(&alone, 1));
    EXPECT_EQ(alone, scores[0]);
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
  EXPECT_EQ(gradients[0], gradients[1]);
  EXPECT_EQ(gradients[0], gradients[2]);
}

/// The rows of the first text and of its reference.
inline std::vector<const Half*> rows_of_first(const TextSpans& sequences,
                                              const std::vector<const Half*>& rows) {
  std::vector<const Half*> first;
  for (const std::size_t sequence : {std::size_t{0}, sequences.count() / 2}) {
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(sequences.begin(sequence));
    first.insert(first.end(), begin, begin + static_cast<std::ptrdiff_t>(sequences.length(sequence)));
  }
  return first;
}

}  // namespace markeval::trained
