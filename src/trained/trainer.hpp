// Learning from human scores: Adam on the squared error, learning rate halved on a plateau, early stopping on
// the correlation with the validation scores. Training is a chain of states: whoever has a state, the data
// and the options gets the same bits from there on, so a checkpoint is nothing but a state on the disk.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/run_context.hpp"
#include "trained/network.hpp"
#include "trained/prediction.hpp"
#include "trained/training_data.hpp"

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

struct EpochRecord {
  double loss = 0;     ///< mean squared error of the standardised scores, while they were learned
  double pearson = 0;  ///< validation; -1 where it is not defined
  double learning_rate = 0;
};

struct TrainingState {
  explicit TrainingState(const ParameterLayout& layout);

  Parameters<float> values, first_moment, second_moment;
  Parameters<float> best;   ///< of the best epoch so far
  std::uint64_t step = 0;   ///< batches learned from
  std::uint64_t batch = 0;  ///< of them in this epoch
  double learning_rate = 0;
  double loss_sum = 0;             ///< over the pairs of this epoch
  std::vector<EpochRecord> curve;  ///< epochs done
  std::size_t best_epoch = 0;      ///< from 1; 0 before the first

  bool finished(const TrainingOptions& options) const;
};

/// The state training starts from.
TrainingState start_training(const Network<float>& network, const TrainingOptions& options);

/// The Pearson correlation; -1 where it is not defined.
double pearson(std::span<const double> x, std::span<const double> y);

class Trainer {
 public:
  using SaveState = std::function<void(const TrainingState&)>;

  /// All must outlive it.
  Trainer(Network<float>& network, const WordVectors& vectors, const TrainingData& data,
          const TrainingOptions& options, const compute::Products& products);

  /// From `state` to the end. `save` is called after every epoch, every `save_every`, and before
  /// Error(cancelled) is thrown on request.
  void run(TrainingState& state, const SaveState& save, std::chrono::milliseconds save_every,
           const RunContext& context);

  const GoldScale& scale() const { return scale_; }

 private:
  void standardise(TrainingState& state);
  void start_as_distance(TrainingState& state);
  void learn(TrainingState& state, std::span<const std::size_t> chosen);
  void end_epoch(TrainingState& state, const RunContext& context);

  Network<float>& network_;
  const WordVectors& vectors_;
  const TrainingData& data_;
  TrainingOptions options_;
  const compute::Products& products_;
  GoldScale scale_;
  Parameters<float> gradient_;
};

}  // namespace markeval::trained
