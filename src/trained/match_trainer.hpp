// How `match` learns: 1 - Pearson inside a batch, AdamW, warm-up and then a learning rate that falls to 0.
// The best epoch is that of the best validation Pearson, averaged over the groups of the validation pairs;
// without validation pairs all epochs are learned and the last one is kept.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trained/match_texts.hpp"
#include "trained/training_loop.hpp"

namespace markeval::trained {

struct MatchOptions {
  double learning_rate = 2e-3;
  double weight_decay = 0.01;
  double dropout = 0.1;      ///< share of x that is dropped
  double gradient_norm = 1;  ///< at most
  double warm_up = 0.1;      ///< share of all steps
  std::size_t batch = 32;    ///< pairs; what is left over of an epoch is left out
  std::size_t epochs = 6;
  std::uint64_t seed = 12345;
};

/// Score = (what the network says - offset) * factor.
struct MatchScale {
  double offset = 0;
  double factor = 1;
};

/// What judges would have given: offset + slope * score, cut to the range of their scores in the training
/// data, from low to high. On the pairs it was fitted to it is `error` away on average, and `pearson` is that
/// of the scores.
struct JudgeScale {
  double offset = 0, slope = 0;
  double low = 0, high = 0;
  double error = 0, pearson = 0;
};

/// What the network says of pairs, in order. A pair's number depends on its two texts alone.
std::vector<double> predict(MatchNetwork<float>& network, const Parameters<float>& values,
                            const MatchTexts& texts, std::span<const ScoredPair> pairs,
                            const compute::Products& products, const RunContext& context);

class MatchTrainer final : public TrainingSteps {
 public:
  /// All must outlive it. Throws Error(invalid_input) for fewer pairs than a batch holds, and for scores to
  /// learn from that are all the same.
  MatchTrainer(MatchNetwork<float>& network, const MatchTexts& texts, const TrainingData& data,
               const MatchOptions& options, const compute::Products& products);

  std::size_t epochs() const override { return options_.epochs; }
  bool finished(const TrainingState& state) const override { return state.curve.size() >= options_.epochs; }
  std::vector<std::vector<std::size_t>> batches(std::size_t epoch) const override;
  void learn(TrainingState& state, std::span<const std::size_t> chosen) override;
  void end_epoch(TrainingState& state, const RunContext& context) override;

  /// The line through the scores and the judges' scores of the validation pairs, or of training pairs where
  /// there are none, by least squares.
  JudgeScale human_scale(const Parameters<float>& values, const MatchScale& scale, const RunContext& context);
  /// The scale on which a text that is its reference has 1, and texts with references of other texts have 0
  /// on average.
  MatchScale scale(const Parameters<float>& values, const RunContext& context);

 private:
  double validation_pearson(const Parameters<float>& values, const RunContext& context);

  MatchNetwork<float>& network_;
  const MatchTexts& texts_;
  const TrainingData& data_;
  MatchOptions options_;
  const compute::Products& products_;
  std::uint64_t steps_;  ///< of all epochs
  Parameters<float> gradient_;
};

}  // namespace markeval::trained
