// Training as a chain of states, whatever network learns: whoever has a state, the data and the options gets
// the same bits from there on, so a checkpoint is nothing but a state on the disk.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/run_context.hpp"
#include "trained/parameters.hpp"

namespace markeval::trained {

struct EpochRecord {
  double loss = 0;     ///< while it was learned; the trainer says which
  double pearson = 0;  ///< validation; -1 where it is not defined
  double learning_rate = 0;
};

struct TrainingState {
  explicit TrainingState(const ParameterLayout& layout);

  Parameters<float> values, first_moment, second_moment;
  Parameters<float> best;   ///< of the best epoch so far
  std::uint64_t step = 0;   ///< batches learned from
  std::uint64_t batch = 0;  ///< number of batches done in this epoch
  double learning_rate = 0;
  double loss_sum = 0;             ///< of this epoch
  std::vector<EpochRecord> curve;  ///< epochs done
  std::size_t best_epoch = 0;      ///< from 1; 0 before the first

  /// Keeps the values as the best.
  void keep_best();
};

/// The state training starts from. `Options` have a seed and a learning rate.
template <typename Network, typename Options>
TrainingState start_training(const Network& network, const Options& options) {
  TrainingState state(network.layout());
  start_parameters(options.seed, state.values);
  state.learning_rate = options.learning_rate;
  return state;
}

/// The state after one batch: Adam with the gradient cut to `largest_norm`, weights shrunk before it where
/// there is weight decay (AdamW). Throws Error(invalid_input) where the gradient is not finite.
void descend(ThreadPool& pool, double learning_rate, double weight_decay, double largest_norm,
             std::span<const float> gradient, TrainingState& state);

/// The Pearson correlation; -1 where it is not defined.
double pearson(std::span<const double> x, std::span<const double> y);

/// What a trainer does between two states.
class TrainingSteps {
 public:
  virtual ~TrainingSteps() = default;
  /// At most.
  virtual std::size_t epochs() const = 0;
  virtual bool finished(const TrainingState& state) const = 0;
  /// The pairs of every batch of an epoch (from 0).
  virtual std::vector<std::vector<std::size_t>> batches(std::size_t epoch) const = 0;
  virtual void learn(TrainingState& state, std::span<const std::size_t> chosen) = 0;
  /// Adds to the curve.
  virtual void end_epoch(TrainingState& state, const RunContext& context) = 0;
};

using SaveState = std::function<void(const TrainingState&)>;

/// From `state` to the end. `save` is called after every epoch, every `save_every`, and before
/// Error(cancelled) is thrown on request.
void run_training(TrainingSteps& steps, TrainingState& state, const SaveState& save,
                  std::chrono::milliseconds save_every, const RunContext& context);

}  // namespace markeval::trained
