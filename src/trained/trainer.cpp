// Standardisation, the start as a distance, one step of Adam per batch, and the end of an epoch.
#include "trained/trainer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "trained/adam.hpp"

namespace markeval::trained {

GoldScale gold_scale(std::span<const ScoredPair> pairs) {
  double sum = 0, square = 0;
  for (const ScoredPair& pair : pairs) sum += pair.gold;
  const double mean = sum / static_cast<double>(pairs.size());
  for (const ScoredPair& pair : pairs) square += (pair.gold - mean) * (pair.gold - mean);
  const double deviation = std::sqrt(square / static_cast<double>(pairs.size()));
  if (!(deviation > 0)) {
    throw_invalid(fmt::format("all {} human scores to learn from are {}: there is nothing to learn",
                              pairs.size(), mean));
  }
  return {mean, deviation};
}

Trainer::Trainer(Network<float>& network, const WordVectors& vectors, const TrainingData& data,
                 const TrainingOptions& options, const compute::Products& products)
    : network_(network),
      vectors_(vectors),
      data_(data),
      options_(options),
      products_(products),
      scale_(gold_scale(data.train)),
      gradient_(network.layout()) {}

// Means and deviations of the first words of the first epoch. A number that hardly ever changes is not blown
// up: its deviation counts as a twentieth of what is usual in its layer.
void Trainer::standardise(TrainingState& state) {
  constexpr std::size_t kWords = 20'000;
  const std::size_t layers = network_.shape().layers, width = network_.shape().width;
  std::vector<double> sum(layers * width), square(layers * width);
  std::size_t words = 0;
  const auto first_epoch = batches(0);
  for (std::size_t index = 0; index < first_epoch.size() && words < kWords; ++index) {
    for (const Half* word : make_batch(vectors_, data_.train, first_epoch[index]).words) {
      for (std::size_t i = 0; i < sum.size(); ++i) {
        const double value = from_half(word[i]);
        sum[i] += value;
        square[i] += value * value;
      }
      ++words;
    }
  }
  std::vector<double> means(sum.size()), deviations(sum.size());
  for (std::size_t layer = 0; layer < layers; ++layer) {
    double usual = 0;
    for (std::size_t i = layer * width; i < (layer + 1) * width; ++i) {
      means[i] = sum[i] / static_cast<double>(words);
      const double variance = std::max(0.0, square[i] / static_cast<double>(words) - means[i] * means[i]);
      usual += variance / static_cast<double>(width);
      deviations[i] = std::sqrt(variance);
    }
    const double least = usual > 0 ? std::sqrt(usual) / 20 : 1;
    for (std::size_t i = layer * width; i < (layer + 1) * width; ++i)
      deviations[i] = std::max(deviations[i], least);
  }
  network_.standardise(state.values, means, deviations);
}

// The distance is fitted to the scores of the first pairs by least squares, with dropout as in training.
void Trainer::start_as_distance(TrainingState& state) {
  constexpr std::size_t kPairs = 512;
  network_.start_as_distance(state.values, 1, 0);
  std::vector<double> distances, wanted;
  const auto first_epoch = batches(0);
  for (std::size_t index = 0; index < first_epoch.size() && distances.size() < kPairs; ++index) {
    const PairBatch batch = make_batch(vectors_, data_.train, first_epoch[index]);
    std::vector<float> scores(first_epoch[index].size());
    network_.forward(products_, state.values, batch,
                     {options_.dropout, options_.seed, index, options_.shared_dropout}, scores);
    distances.insert(distances.end(), scores.begin(), scores.end());
    for (const std::size_t pair : first_epoch[index])
      wanted.push_back((data_.train[pair].gold - scale_.mean) / scale_.deviation);
  }
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    mean_x += distances[i] / static_cast<double>(wanted.size());
    mean_y += wanted[i] / static_cast<double>(wanted.size());
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    xx += (distances[i] - mean_x) * (distances[i] - mean_x);
    xy += (distances[i] - mean_x) * (wanted[i] - mean_y);
  }
  const double slope = xx > 0 ? xy / xx : 0;
  network_.start_as_distance(state.values, slope, mean_y - slope * mean_x);
}

void Trainer::learn(TrainingState& state, std::span<const std::size_t> chosen) {
  const PairBatch batch = make_batch(vectors_, data_.train, chosen);
  std::vector<float> scores(chosen.size()), d_scores(chosen.size());
  network_.forward(products_, state.values, batch,
                   {options_.dropout, options_.seed, state.step, options_.shared_dropout}, scores);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const double wanted = (data_.train[chosen[i]].gold - scale_.mean) / scale_.deviation;
    const double difference = static_cast<double>(scores[i]) - wanted;
    state.loss_sum += difference * difference;
    d_scores[i] = static_cast<float>(2 * difference / static_cast<double>(chosen.size()));
  }
  clear(products_.pool(), gradient_.values());
  network_.backward(products_, state.values, batch, d_scores, gradient_);
  descend(products_.pool(), state.learning_rate, 0, options_.gradient_norm, gradient_.values(), state);
}

void Trainer::end_epoch(TrainingState& state, const RunContext& context) {
  const std::vector<double> predicted =
      predict(network_, state.values, scale_, VectorWords(vectors_, network_, state.values), data_.valid,
              products_, context);
  std::vector<double> gold;
  for (const ScoredPair& pair : data_.valid) gold.push_back(pair.gold);
  state.curve.push_back({state.loss_sum / static_cast<double>(data_.train.size()), pearson(predicted, gold),
                         state.learning_rate});
  if (state.best_epoch == 0 || state.curve.back().pearson > state.curve[state.best_epoch - 1].pearson) {
    state.keep_best();
  } else {
    state.learning_rate /= 2;
  }
  state.batch = 0;
  state.loss_sum = 0;
}

bool Trainer::finished(const TrainingState& state) const {
  return state.curve.size() >= options_.epochs || state.curve.size() >= state.best_epoch + options_.patience;
}

std::vector<std::vector<std::size_t>> Trainer::batches(std::size_t epoch) const {
  return epoch_batches(vectors_, data_.train, options_.batch, options_.seed, epoch);
}

void Trainer::run(TrainingState& state, const SaveState& save, std::chrono::milliseconds save_every,
                  const RunContext& context) {
  if (state.step == 0 && !options_.given_start) {
    if (network_.shape().standardised) standardise(state);
    if (options_.distance_start) start_as_distance(state);
  }
  run_training(*this, state, save, save_every, context);
}

}  // namespace markeval::trained
