#include "trained/prediction.hpp"

#include <algorithm>

namespace markeval::trained {
namespace {

constexpr std::size_t kBatch = 64;  // pairs the network sees at once

}  // namespace

std::vector<double> predict(Network<float>& network, const Parameters<float>& values, const GoldScale& scale,
                            const WordVectors& vectors, std::span<const ScoredPair> pairs,
                            const compute::Products& products, const RunContext& context) {
  std::vector<double> result(pairs.size());
  std::vector<float> scores;
  for (const auto& chosen : sorted_batches(vectors, pairs, kBatch)) {
    context.check_cancelled();
    scores.resize(chosen.size());
    network.forward(products, values, make_batch(vectors, pairs, chosen), {}, scores);
    for (std::size_t i = 0; i < chosen.size(); ++i)
      result[chosen[i]] = static_cast<double>(scores[i]) * scale.deviation + scale.mean;
  }
  return result;
}

}  // namespace markeval::trained
