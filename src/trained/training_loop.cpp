// The loop over epochs and batches, with checkpoints by time and the progress line.
#include "trained/training_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "trained/adam.hpp"

namespace markeval::trained {
namespace {

using Clock = std::chrono::steady_clock;

std::string in_words(double seconds) {
  if (seconds < 100) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long>(std::ceil(seconds));
  return fmt::format("{}:{:02} min", whole / 60, whole % 60);
}

/// " 0.7123", or nothing where there was nothing to validate with.
std::string validation(const EpochRecord& record) {
  return record.pearson > -1 ? fmt::format(", validation Pearson {:.4f}", record.pearson) : std::string();
}

}  // namespace

double pearson(std::span<const double> x, std::span<const double> y) {
  double mean_x = 0, mean_y = 0;
  for (const double value : x) mean_x += value;
  for (const double value : y) mean_y += value;
  mean_x /= static_cast<double>(x.size());
  mean_y /= static_cast<double>(y.size());
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : -1;
}

TrainingState::TrainingState(const ParameterLayout& layout)
    : values(layout), first_moment(layout), second_moment(layout), best(layout) {}

void TrainingState::keep_best() {
  best_epoch = curve.size();
  std::copy_n(values.values().begin(), values.values().size(), best.values().begin());
}

void descend(ThreadPool& pool, double learning_rate, double weight_decay, double largest_norm,
             std::span<const float> gradient, TrainingState& state) {
  const double norm = euclidean_norm(pool, gradient);
  if (!std::isfinite(norm)) {
    throw_invalid(
        fmt::format("the gradient is not finite after {} batches: try a smaller learning rate", state.step));
  }
  AdamOptions adam;
  adam.learning_rate = learning_rate;
  ++state.step;
  if (weight_decay > 0) shrink(pool, 1 - learning_rate * weight_decay, state.values.values());
  const double scale = norm > largest_norm ? largest_norm / (norm + 1e-6) : 1;
  adam_step(pool, adam, state.step, scale, gradient,
            {state.first_moment.values(), state.second_moment.values(), state.values.values()});
}

void run_training(TrainingSteps& steps, TrainingState& state, const SaveState& save,
                  std::chrono::milliseconds save_every, const RunContext& context) {
  Clock::time_point saved = Clock::now();
  const Clock::time_point start = saved;
  const std::uint64_t start_step = state.step;
  while (!steps.finished(state)) {
    const Clock::time_point epoch_start = Clock::now();
    const std::size_t epoch = state.curve.size();
    const auto batches = steps.batches(epoch);
    std::string stage = fmt::format("epoch {} of at most {}", epoch + 1, steps.epochs());
    if (state.best_epoch > 0 && state.curve[state.best_epoch - 1].pearson > -1)
      stage += fmt::format(", best validation Pearson {:.4f}", state.curve[state.best_epoch - 1].pearson);
    try {
      while (state.batch < batches.size()) {
        context.check_cancelled();
        steps.learn(state, batches[state.batch]);
        ++state.batch;
        context.report_progress(stage, state.batch, batches.size());
        if (Clock::now() - saved >= save_every) {
          save(state);
          saved = Clock::now();
        }
      }
      steps.end_epoch(state, context);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::cancelled) {
        save(state);
        if (context.log != nullptr) {
          context.log->info(
              fmt::format("checkpoint written after {} of {} batches of epoch {}: --resume goes on",
                          state.batch, batches.size(), epoch + 1));
        }
      }
      throw;
    }
    save(state);
    saved = Clock::now();
    if (context.log != nullptr) {
      const EpochRecord& last = state.curve.back();
      const std::chrono::duration<double> took = saved - epoch_start, all = saved - start;
      const double left = all.count() / static_cast<double>(state.step - start_step) *
                          static_cast<double>((steps.epochs() - state.curve.size()) * batches.size());
      context.log->info(fmt::format(
          "epoch {}: loss {:.4f}{}{}, learning rate {:.2g}, {}{}", state.curve.size(), last.loss,
          validation(last), state.best_epoch == state.curve.size() && last.pearson > -1 ? " (best)" : "",
          last.learning_rate, in_words(took.count()),
          steps.finished(state) || state.step == start_step ? "" : ", at most " + in_words(left) + " left"));
    }
  }
}

}  // namespace markeval::trained
