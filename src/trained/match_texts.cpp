// Normalisation with sums in a fixed order, the pooled vector, and the batches.
#include "trained/match_texts.hpp"

#include <algorithm>
#include <cmath>

#include "base/sum_of_squares.hpp"

namespace markeval::trained {
namespace {

/// In double, eight partial sums: the order depends on the length alone.
template <typename Value>
double lane_sum(std::size_t size, const Value& value) {
  constexpr std::size_t kLanes = 8;
  double lanes[kLanes] = {};
  std::size_t j = 0;
  for (; j + kLanes <= size; j += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += value(j + lane);
  }
  for (; j < size; ++j) lanes[0] += value(j);
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

}  // namespace

void normalize_layer(std::span<const float> state, std::span<float> out) {
  const auto count = static_cast<double>(state.size());
  const double mean =
      lane_sum(state.size(), [&](std::size_t j) { return static_cast<double>(state[j]); }) / count;
  const double variance = lane_sum(state.size(),
                                   [&](std::size_t j) {
                                     const double difference = static_cast<double>(state[j]) - mean;
                                     return difference * difference;
                                   }) /
                          count;
  const auto offset = static_cast<float>(mean), factor = static_cast<float>(1 / std::sqrt(variance + 1e-5));
  for (std::size_t j = 0; j < state.size(); ++j) out[j] = (state[j] - offset) * factor;
}

std::vector<float> pooled_direction(MatrixView<const float> states) {
  std::vector<double> sum(states.columns(), 0.0);
  for (std::size_t row = 0; row < states.rows(); ++row) {
    const float* const values = states.row(row).data();
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += static_cast<double>(values[j]);
  }
  const double length = std::sqrt(sum_of_squares(sum));
  std::vector<float> direction(sum.size(), 0.0f);
  for (std::size_t j = 0; length > 0 && j < sum.size(); ++j)
    direction[j] = static_cast<float>(sum[j] / length);
  return direction;
}

double pooled_cosine(std::span<const float> a, std::span<const float> b) {
  // By the distance, so that equal texts have exactly 1.
  const double squared = lane_sum(a.size(), [&](std::size_t j) {
    const double difference = static_cast<double>(a[j]) - static_cast<double>(b[j]);
    return difference * difference;
  });
  return 1 - squared / 2;
}

MatchTexts::MatchTexts(std::size_t layers, std::size_t width, const std::string& folder)
    : layers_(layers), width_(width), states_(layers * width, folder) {}

void MatchTexts::add(const embed::EncodedTexts& texts, ThreadPool& pool) {
  const std::size_t first = words_.size();
  std::vector<std::vector<Half>> halves(texts.distinct());
  words_.resize(first + texts.distinct(), 0);
  pooled_.resize(first + texts.distinct());
  pool.for_each(texts.distinct(), [&](std::size_t slot, std::size_t) {
    const embed::EncodedText text = texts.text(slot);
    std::vector<float> normal(width_);
    halves[slot].resize(text.tokens.size() * states_.columns());
    auto out = halves[slot].begin();
    for (std::size_t token = 0; token < text.tokens.size(); ++token) {
      words_[first + slot] += text.tokens.facts[token].special ? 0 : 1;
      for (std::size_t layer = 0; layer < layers_; ++layer) {
        normalize_layer(text.layer(layer).row(token), normal);
        out = std::transform(normal.begin(), normal.end(), out, to_half);
      }
    }
    pooled_[first + slot] = pooled_direction(text.layer(layers_ - 1));
  });
  for (const std::vector<Half>& states : halves) {
    states_.append(states);
    starts_.push_back(starts_.back() + states.size() / states_.columns());
  }
}

MatchBatch make_match_batch(const MatchTexts& texts, std::span<const ScoredPair> pairs,
                            std::span<const std::size_t> chosen) {
  MatchBatch batch;
  batch.sequences = gather_rows(
      pairs, chosen, [&](std::size_t text) { return texts.tokens(text); },
      [&](std::size_t text, std::size_t token) { return texts.token(text, token); }, batch.states);
  for (const std::size_t index : chosen)
    batch.cosines.push_back(
        pooled_cosine(texts.pooled(pairs[index].text), texts.pooled(pairs[index].reference)));
  return batch;
}

}  // namespace markeval::trained
