// Batches of an epoch, one step of AdamW, validation, and the two scales fitted at the end.
#include "trained/match_trainer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/random.hpp"
#include "trained/adam.hpp"
#include "trained/prediction.hpp"
#include "trained/trainer.hpp"

namespace markeval::trained {
namespace {

constexpr std::size_t kScoredBatch = 64;  // pairs the network sees at once when it only scores

std::size_t batches_of(const TrainingData& data, const MatchOptions& options) {
  return data.train.size() / options.batch;
}

}  // namespace

std::vector<double> predict(MatchNetwork<float>& network, const Parameters<float>& values,
                            const MatchTexts& texts, std::span<const ScoredPair> pairs,
                            const compute::Products& products, const RunContext& context) {
  std::vector<double> result;
  std::vector<std::size_t> chosen;
  std::vector<float> scores;
  for (std::size_t first = 0; first < pairs.size(); first += kScoredBatch) {
    context.check_cancelled();
    chosen.resize(std::min(kScoredBatch, pairs.size() - first));
    std::iota(chosen.begin(), chosen.end(), first);
    scores.resize(chosen.size());
    network.forward(products, values, make_match_batch(texts, pairs, chosen), {}, scores);
    result.insert(result.end(), scores.begin(), scores.end());
  }
  return result;
}

MatchTrainer::MatchTrainer(MatchNetwork<float>& network, const MatchTexts& texts, const TrainingData& data,
                           const MatchOptions& options, const compute::Products& products)
    : network_(network),
      texts_(texts),
      data_(data),
      options_(options),
      products_(products),
      steps_(options.epochs * batches_of(data, options)),
      gradient_(network.layout()) {
  if (batches_of(data, options) == 0) {
    throw_invalid(fmt::format("{} pairs to learn from, expected at least {}: a batch of them",
                              data.train.size(), options.batch));
  }
  gold_scale(data.train);
}

std::vector<std::vector<std::size_t>> MatchTrainer::batches(std::size_t epoch) const {
  RandomStream random(options_.seed, (std::uint64_t{2} << 56) + epoch);
  const auto order = random.permutation(static_cast<std::uint32_t>(data_.train.size()));
  std::vector<std::vector<std::size_t>> result;
  for (std::size_t batch = 0; batch < batches_of(data_, options_); ++batch) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(batch * options_.batch);
    result.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(options_.batch));
  }
  return result;
}

void MatchTrainer::learn(TrainingState& state, std::span<const std::size_t> chosen) {
  const MatchBatch batch = make_match_batch(texts_, data_.train, chosen);
  std::vector<float> scores(chosen.size()), d_scores(chosen.size());
  std::vector<double> gold;
  for (const std::size_t pair : chosen) gold.push_back(data_.train[pair].gold);
  network_.forward(products_, state.values, batch, {options_.dropout, options_.seed, state.step, false},
                   scores);
  state.loss_sum += pearson_loss<float>(scores, gold, d_scores);
  clear(products_.pool(), gradient_.values());
  network_.backward(products_, state.values, batch, d_scores, gradient_);
  const auto step = static_cast<double>(state.step), steps = static_cast<double>(steps_);
  const double rise = std::min(1.0, (step + 1) / (options_.warm_up * steps + 1));
  state.learning_rate = options_.learning_rate * rise * (1 - step / (steps + 1));
  descend(products_.pool(), state.learning_rate, options_.weight_decay, options_.gradient_norm,
          gradient_.values(), state);
}

double MatchTrainer::validation_pearson(const Parameters<float>& values, const RunContext& context) {
  return mean_pearson(predict(network_, values, texts_, data_.valid, products_, context), data_.valid);
}

void MatchTrainer::end_epoch(TrainingState& state, const RunContext& context) {
  const double found = validation_pearson(state.values, context);
  state.curve.push_back(
      {state.loss_sum / static_cast<double>(batches_of(data_, options_)), found, state.learning_rate});
  if (data_.valid.empty() || state.best_epoch == 0 || found > state.curve[state.best_epoch - 1].pearson)
    state.keep_best();
  state.batch = 0;
  state.loss_sum = 0;
}

MatchScale MatchTrainer::scale(const Parameters<float>& values, const RunContext& context) {
  // Every text with the reference of the pair in the middle of the others: another text, nearly always.
  constexpr std::size_t kMostPairs = 1000;
  const std::size_t count = std::min(kMostPairs, data_.train.size()), away = data_.train.size() / 2;
  std::vector<ScoredPair> unrelated;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t pair = i * data_.train.size() / count;
    unrelated.push_back(
        {data_.train[pair].text, data_.train[(pair + away) % data_.train.size()].reference, 0});
  }
  double mean = 0;
  for (const double score : predict(network_, values, texts_, unrelated, products_, context))
    mean += score / static_cast<double>(count);
  const ScoredPair first = data_.train.front();
  const std::vector<ScoredPair> same{{first.text, first.text, 0}};
  const double difference = predict(network_, values, texts_, same, products_, context).front() - mean;
  if (!(difference > 0)) {
    context.warn(
        "the trained model rates references of other texts higher than the text's own: is a lower human "
        "score better here? Then turn its sign, and train again");
  }
  return {mean, 1 / std::max(std::abs(difference), 1e-6)};
}

JudgeScale MatchTrainer::human_scale(const Parameters<float>& values, const MatchScale& scale,
                                     const RunContext& context) {
  constexpr std::size_t kMostPairs = 2000;
  std::span<const ScoredPair> pairs = data_.valid.empty() ? data_.train : data_.valid;
  pairs = pairs.first(std::min(pairs.size(), kMostPairs));
  const std::vector<double> said = predict(network_, values, texts_, pairs, products_, context);
  const auto count = static_cast<double>(pairs.size());
  double mean_score = 0, mean_gold = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    mean_score += (said[i] - scale.offset) * scale.factor / count;
    mean_gold += pairs[i].gold / count;
  }
  double together = 0, squares = 0, gold_squares = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double away = (said[i] - scale.offset) * scale.factor - mean_score;
    together += away * (pairs[i].gold - mean_gold);
    squares += away * away;
    gold_squares += (pairs[i].gold - mean_gold) * (pairs[i].gold - mean_gold);
  }
  const double slope = squares > 0 ? together / squares : 0;
  const auto [low, high] = std::ranges::minmax_element(
      data_.train, [](const ScoredPair& a, const ScoredPair& b) { return a.gold < b.gold; });
  JudgeScale human{mean_gold - slope * mean_score, slope, low->gold, high->gold};
  human.pearson = squares > 0 && gold_squares > 0 ? together / std::sqrt(squares * gold_squares) : 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double score = (said[i] - scale.offset) * scale.factor;
    human.error +=
        std::abs(std::clamp(human.offset + slope * score, human.low, human.high) - pairs[i].gold) / count;
  }
  return human;
}

}  // namespace markeval::trained
