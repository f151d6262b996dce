// How the networks of Mathur et al. learn from human scores: Adam on the squared error of the standardised
// scores, learning rate halved on a plateau, early stopping on the correlation with the validation scores.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "base/run_context.hpp"
#include "trained/network.hpp"
#include "trained/prediction.hpp"
#include "trained/training_data.hpp"
#include "trained/training_loop.hpp"

namespace markeval::trained {

struct TrainingOptions {
  double learning_rate = 4e-4;
  double dropout = 0.5;
  bool shared_dropout = false;  ///< a text and its reference lose the same columns before an LSTM
  bool distance_start = false;  ///< the dense part starts as a distance instead of at random
  bool given_start = false;  ///< what another training ended with: nothing is drawn, standardised or fitted
  double gradient_norm = 10;
  std::size_t batch = 32;    ///< pairs
  std::size_t epochs = 20;   ///< at most
  std::size_t patience = 4;  ///< stop after so many epochs in a row without a better validation Pearson
  std::uint64_t seed = 12345;
};

/// Throws Error(invalid_input) where all scores are the same.
GoldScale gold_scale(std::span<const ScoredPair> pairs);

class Trainer final : public TrainingSteps {
 public:
  /// All must outlive it.
  Trainer(Network<float>& network, const WordVectors& vectors, const TrainingData& data,
          const TrainingOptions& options, const compute::Products& products);

  /// run_training() from `state` on, after what comes before the first batch.
  void run(TrainingState& state, const SaveState& save, std::chrono::milliseconds save_every,
           const RunContext& context);

  std::size_t epochs() const override { return options_.epochs; }
  bool finished(const TrainingState& state) const override;
  std::vector<std::vector<std::size_t>> batches(std::size_t epoch) const override;
  void learn(TrainingState& state, std::span<const std::size_t> chosen) override;
  void end_epoch(TrainingState& state, const RunContext& context) override;

  const GoldScale& scale() const { return scale_; }

 private:
  void standardise(TrainingState& state);
  void start_as_distance(TrainingState& state);

  Network<float>& network_;
  const WordVectors& vectors_;
  const TrainingData& data_;
  TrainingOptions options_;
  const compute::Products& products_;
  GoldScale scale_;
  Parameters<float> gradient_;
};

}  // namespace markeval::trained
