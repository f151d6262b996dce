#include "trained/prediction.hpp"

#include <algorithm>

namespace markeval::trained {
namespace {

constexpr std::size_t kBatch = 64;   // pairs the network sees at once
constexpr std::size_t kBlock = 512;  // pairs whose word vectors are in memory

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

PairScores score_text_pairs(Network<float>& network, const Parameters<float>& values, const GoldScale& scale,
                            WordEncoder& encoder, std::span<const TextPair> pairs,
                            const compute::Products& products, const RunContext& context) {
  PairScores result;
  result.scores.assign(pairs.size(), 0);
  result.no_words_in_text.assign(pairs.size(), false);
  result.no_words_in_reference.assign(pairs.size(), false);
  const RunContext silent{context.pool, nullptr, context.log, context.cancel};
  for (std::size_t first = 0; first < pairs.size(); first += kBlock) {
    const std::size_t count = std::min(kBlock, pairs.size() - first);
    TrainingData data;
    std::vector<ScoredPair> all;
    for (const TextPair& pair : pairs.subspan(first, count))
      all.push_back({data.add_text(pair.text), data.add_text(pair.reference), 0});
    const WordVectors vectors(encoder, data.texts, silent);
    result.counts.cut_texts += vectors.counts().cut_texts;
    result.counts.unknown += vectors.counts().unknown;
    std::vector<ScoredPair> wanted;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < count; ++i) {
      result.no_words_in_text[first + i] = vectors.words(all[i].text) == 0;
      result.no_words_in_reference[first + i] = vectors.words(all[i].reference) == 0;
      if (result.no_words_in_text[first + i] || result.no_words_in_reference[first + i]) continue;
      wanted.push_back(all[i]);
      places.push_back(first + i);
    }
    const std::vector<double> scores = predict(network, values, scale, vectors, wanted, products, silent);
    for (std::size_t i = 0; i < places.size(); ++i) result.scores[places[i]] = scores[i];
    context.report_progress("scoring pairs", first + count, pairs.size());
  }
  return result;
}

}  // namespace markeval::trained
