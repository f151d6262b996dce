// Scores in two steps: every distinct text goes through the first LSTM once, then pairs of texts are scored.
// A reference that several systems share, or several pairs of one system, is read once.
#include "trained/prediction.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace markeval::trained {
namespace {

constexpr std::size_t kBatch = 64;  // pairs, or half as many texts, that the network sees at once
// Words of the pairs whose texts are encoded together. Their rows take a few dozen megabytes.
constexpr std::size_t kWindowWords = 1 << 15;

/// All pairs, the longest first, in batches.
std::vector<std::vector<std::size_t>> sorted_batches(const WordSource& source,
                                                     std::span<const ScoredPair> pairs) {
  const auto length = [&](std::size_t index) {
    return source.words(pairs[index].text) + source.words(pairs[index].reference);
  };
  std::vector<std::size_t> order(pairs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return length(a) > length(b); });
  return cut_batches(order, kBatch);
}

/// How many of the pairs make a window.
std::size_t window_size(const WordSource& source, std::span<const ScoredPair> pairs) {
  std::size_t size = 0;
  for (std::size_t words = 0; size < pairs.size() && words < kWindowWords; ++size)
    words += source.words(pairs[size].text) + source.words(pairs[size].reference);
  return size;
}

/// The distinct texts of some pairs as the network encodes them.
class EncodedWindow {
 public:
  EncodedWindow(Network<float>& network, const Parameters<float>& values, const WordSource& source,
                std::span<const ScoredPair> pairs, const compute::Products& products,
                const RunContext& context)
      : source_(source) {
    std::vector<std::size_t> texts;
    for (const ScoredPair& pair : pairs) {
      for (const std::size_t text : {pair.text, pair.reference}) {
        if (first_rows_.emplace(text, 0).second) texts.push_back(text);
      }
    }
    std::ranges::stable_sort(texts,
                             [&](std::size_t a, std::size_t b) { return source.words(a) > source.words(b); });
    std::size_t rows = 0;
    for (const std::size_t text : texts) {
      first_rows_[text] = rows;
      rows += source.words(text);
    }
    rows_.resize(rows, network.encoded_width());
    Matrix<float> mixed;
    for (std::size_t first = 0; first < texts.size(); first += 2 * kBatch) {
      context.check_cancelled();
      const std::size_t count = std::min(2 * kBatch, texts.size() - first);
      std::vector<std::size_t> lengths;
      for (std::size_t i = 0; i < count; ++i) lengths.push_back(source.words(texts[first + i]));
      const TextSpans spans(lengths);
      mixed.resize(spans.rows(), network.shape().width);
      products.pool().for_each(count, [&](std::size_t i, std::size_t) {
        source.mix(texts[first + i], mixed.view().rows_from(spans.begin(i), spans.length(i)));
      });
      network.encode(products, values, spans, mixed.view(),
                     rows_.view().rows_from(first_rows_[texts[first]], spans.rows()));
    }
  }

  /// The texts of the chosen pairs, then their references, one after the other.
  TextSpans gather(std::span<const ScoredPair> pairs, std::span<const std::size_t> chosen, ThreadPool& pool,
                   Matrix<float>& gathered) const {
    std::vector<std::size_t> texts, lengths;
    for (const std::size_t index : chosen) texts.push_back(pairs[index].text);
    for (const std::size_t index : chosen) texts.push_back(pairs[index].reference);
    for (const std::size_t text : texts) lengths.push_back(source_.words(text));
    TextSpans spans(lengths);
    gathered.resize(spans.rows(), rows_.columns());
    pool.for_each(texts.size(), [&](std::size_t sequence, std::size_t) {
      std::copy_n(rows_.row(first_rows_.at(texts[sequence])).data(), lengths[sequence] * rows_.columns(),
                  gathered.row(spans.begin(sequence)).data());
    });
    return spans;
  }

 private:
  const WordSource& source_;
  std::unordered_map<std::size_t, std::size_t> first_rows_;  ///< by text
  Matrix<float> rows_;
};

}  // namespace

VectorWords::VectorWords(const WordVectors& vectors, const Network<float>& network,
                         const Parameters<float>& values)
    : vectors_(vectors), mix_(network.mix()), mixture_(mix_.mixture(values)) {}

void VectorWords::mix(std::size_t text, MatrixView<float> mixed) const {
  for (std::size_t word = 0; word < mixed.rows(); ++word)
    mix_.mix(mixture_, vectors_.word(text, word), mixed.row(word).data());
}

StateWords::StateWords(const embed::EncodedTexts& texts, Pieces pieces, const Network<float>& network,
                       const Parameters<float>& values, const compute::Products& products)
    : texts_(texts), mixture_(network.mix().mixture(values)), products_(products) {
  for (std::size_t text = 0; text < texts.distinct(); ++text)
    kept_.push_back(kept_words(texts.text(text), pieces));
}

void StateWords::mix(std::size_t text, MatrixView<float> mixed) const {
  const embed::EncodedText encoded = texts_.text(text);
  std::vector<const float*> states(mixture_.weights.size());
  for (std::size_t word = 0; word < mixed.rows(); ++word) {
    for (std::size_t layer = 0; layer < states.size(); ++layer)
      states[layer] = encoded.layer(layer).row(kept_[text][word]).data();
    products_.mix_layers({.layers = states.size(),
                          .width = mixed.columns(),
                          .states = states.data(),
                          .weights = mixture_.weights.data(),
                          .offset = mixture_.offset.data(),
                          .factor = mixture_.factor.data(),
                          .mixed = mixed.row(word).data()});
  }
}

std::vector<double> predict(Network<float>& network, const Parameters<float>& values, const GoldScale& scale,
                            const WordSource& source, std::span<const ScoredPair> pairs,
                            const compute::Products& products, const RunContext& context) {
  std::vector<double> result(pairs.size());
  std::vector<float> scores;
  Matrix<float> gathered;
  network.pack(products, values);
  for (std::size_t first = 0; first < pairs.size();) {
    const std::span<const ScoredPair> rest = pairs.subspan(first);
    const std::span<const ScoredPair> window = rest.first(window_size(source, rest));
    const EncodedWindow encoded(network, values, source, window, products, context);
    for (const auto& chosen : sorted_batches(source, window)) {
      context.check_cancelled();
      const TextSpans sequences = encoded.gather(window, chosen, products.pool(), gathered);
      scores.resize(chosen.size());
      network.score(products, values, sequences, gathered.view(), scores);
      for (std::size_t i = 0; i < chosen.size(); ++i)
        result[first + chosen[i]] = static_cast<double>(scores[i]) * scale.deviation + scale.mean;
    }
    first += window.size();
  }
  return result;
}

}  // namespace markeval::trained
