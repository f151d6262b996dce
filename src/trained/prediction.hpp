// A network's scores of pairs, on the scale of the human scores it learned from.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/run_context.hpp"
#include "trained/network.hpp"
#include "trained/training_data.hpp"

namespace markeval::trained {

/// Human scores as the network sees them: (score - mean) / deviation of the training scores.
struct GoldScale {
  double mean = 0;
  double deviation = 1;
};

/// All pairs in order. A pair's score depends on its two texts alone.
std::vector<double> predict(Network<float>& network, const Parameters<float>& values, const GoldScale& scale,
                            const WordVectors& vectors, std::span<const ScoredPair> pairs,
                            const compute::Products& products, const RunContext& context);

}  // namespace markeval::trained
