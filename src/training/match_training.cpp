// Training of `match`: the plan from the request, the texts, the trainer, and the head it writes.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/error.hpp"
#include "metric/layer_choice.hpp"
#include "trained/match_head.hpp"
#include "training/training_run.hpp"

namespace markeval::training {
namespace {

constexpr std::size_t kHiddenUnits = 16;

/// How many layers a head reads: as many as bertscore does, so that it costs what bertscore costs.
std::size_t layers_to_read(const TrainRequest& request, const embed::VectorSource& source) {
  const std::size_t last = source.last_layer();
  if (request.layers.value_or(0) > last) {
    throw_usage(
        fmt::format("layers is {}, but {} has {} layers", *request.layers, source.model_name(), last));
  }
  if (request.layers) return *request.layers;
  const std::optional<metric::DefaultLayer> known = metric::default_layer(source);
  return known ? known->layer : last;
}

trained::MatchPlan match_plan_of(const TrainRequest& request, TrainingRun& run) {
  trained::MatchPlan plan;
  plan.encoder = run.identity();
  plan.shape = {layers_to_read(request, run.source()) + 1, run.source().width(), request.heads, request.width,
                request.hidden.value_or(kHiddenUnits)};
  if (plan.shape.head_width > plan.shape.width) {
    throw_usage(fmt::format("the width of a head is {}, expected at most {}, the width of {}", request.width,
                            plan.shape.width, run.source().model_name()));
  }
  trained::MatchOptions& options = plan.options;
  options.learning_rate = request.learning_rate.value_or(options.learning_rate);
  options.dropout = request.dropout.value_or(options.dropout);
  options.epochs = request.epochs.value_or(options.epochs);
  options.batch = request.batch;
  options.seed = request.seed;
  plan.train = run.train_files();
  plan.valid = run.valid_files();
  plan.columns = run.columns();
  return plan;
}

}  // namespace

TrainReport train_match(const TrainRequest& request, TrainingRun& run) {
  trained::MatchPlan plan = match_plan_of(request, run);
  trained::MatchNetwork<float> network(plan.shape);
  std::optional<trained::MatchHead> from;
  if (!request.from.empty()) {
    from = trained::read_head(request.from);
    trained::check_same_vectors(request.from, from->encoder, plan.encoder);
    if (from->shape != plan.shape) {
      throw_invalid(
          fmt::format("{}: cannot start from it: it has {} heads of width {} and {} hidden units, and reads "
                      "{} layers",
                      request.from, from->shape.heads, from->shape.head_width, from->shape.hidden,
                      from->shape.layers - 1));
    }
    plan.from = from->hash;
  }
  trained::TrainingState state = run.begin(plan.description(), network.layout(), [&] {
    trained::TrainingState start = trained::start_training(network, plan.options);
    if (from) {
      const std::span<const float> values = from->values->values();
      std::ranges::copy(values, start.values.values().begin());
    }
    return start;
  });
  trained::MatchTexts texts(plan.shape.layers, plan.shape.width, request.folder);
  run.encode(
      plan.shape.layers, [&](const embed::EncodedTexts& block) { texts.add(block, run.context().pool); },
      [&](std::size_t text) { return texts.words(text); });
  trained::MatchTrainer trainer(network, texts, run.data(), plan.options, run.products());
  trained::run_training(
      trainer, state,
      [&](const trained::TrainingState& reached) {
        trained::write_checkpoint(request.folder, plan.description(), reached);
      },
      std::chrono::seconds(request.checkpoint_every_s), run.context());
  const trained::MatchScale scale = trainer.scale(state.best, run.context());
  const trained::JudgeScale human = trainer.human_scale(state.best, scale, run.context());
  TrainReport report = run.finish(state, trained::write_head(request.folder, plan, scale, state, human));
  report.human_scale = {human.offset, human.slope, human.low, human.high, human.error, human.pearson};
  return report;
}

}  // namespace markeval::training
