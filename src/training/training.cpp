// Checks of the request, training of the networks of Mathur et al., and the choice between the three
// trainings.
#include "training/training.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <set>

#include "base/error.hpp"
#include "metric/registry.hpp"
#include "trained/model_folder.hpp"
#include "training/training_run.hpp"
#include "training/training_validation.hpp"

namespace markeval::training {
namespace {

/// Tells each warning once, whatever its numbers: the training pairs, the validation pairs and every metric
/// that scores them would warn of the same texts.
class WarnsOnce final : public Observer {
 public:
  explicit WarnsOnce(Observer* observer) : observer_(observer) {}
  void progress(std::string_view stage, std::uint64_t done, std::uint64_t total) override {
    observer_->progress(stage, done, total);
  }
  void info(const std::string& message) override { observer_->info(message); }
  void warning(const std::string& message) override {
    std::string words = message;
    std::erase_if(words, [](char c) { return c >= '0' && c <= '9'; });
    if (told_.insert(std::move(words)).second) observer_->warning(message);
  }

 private:
  Observer* observer_;
  std::set<std::string> told_;
};

/// The weights another training ended with, where they fit.
trained::TrainedModel read_start(const std::string& folder, const trained::TrainingPlan& plan) {
  trained::TrainedModel start = trained::read_model(folder);
  trained::check_fits(folder, start, plan.shape.architecture, plan.encoder);
  const auto refuse = [&](const std::string& found, const std::string& expected) {
    throw_invalid(fmt::format("{}: cannot start from it: {}, expected {}", folder, found, expected));
  };
  if (start.pieces != plan.pieces) {
    refuse(fmt::format("its pieces are {}", trained::name(start.pieces)),
           std::string(trained::name(plan.pieces)));
  }
  if (start.shape.standardised != plan.shape.standardised) {
    const auto recipe = [](bool standardised) { return standardised ? "tuned" : "published"; };
    refuse(fmt::format("its recipe is {}", recipe(start.shape.standardised)),
           recipe(plan.shape.standardised));
  }
  if (start.shape != plan.shape)
    refuse(fmt::format("its width is {}", start.shape.hidden), std::to_string(plan.shape.hidden));
  return start;
}

trained::TrainingPlan network_plan_of(const TrainRequest& request, TrainingRun& run) {
  constexpr std::size_t kHidden = 300;
  trained::TrainingPlan plan;
  const bool tuned = request.recipe == "tuned";
  const std::size_t hidden = request.hidden.value_or(kHidden);
  plan.train = run.train_files();
  plan.valid = run.valid_files();
  plan.columns = run.columns();
  plan.encoder = run.identity();
  plan.pieces = trained::parse_pieces(request.pieces);
  plan.shape = {trained::parse_architecture(request.architecture),
                run.source().last_layer() + 1,
                run.source().width(),
                hidden,
                hidden,
                tuned};
  trained::TrainingOptions& options = plan.options;
  options.shared_dropout = tuned;
  options.distance_start = tuned && plan.shape.architecture != trained::Architecture::esim;
  options.learning_rate = request.learning_rate.value_or(options.distance_start ? 4e-5 : 4e-4);
  options.dropout = request.dropout.value_or(options.dropout);
  options.epochs = request.epochs.value_or(options.epochs);
  options.batch = request.batch;
  options.patience = request.patience;
  options.seed = request.seed;
  return plan;
}

TrainReport train_network(const TrainRequest& request, TrainingRun& run) {
  trained::TrainingPlan plan = network_plan_of(request, run);
  std::optional<trained::TrainedModel> from;
  if (!request.from.empty()) {
    from = read_start(request.from, plan);
    plan.from = from->weights_hash;
    plan.options.given_start = true;
    plan.options.distance_start = false;
  }
  trained::Network<float> network(plan.shape);
  const std::string description = trained::description(plan);
  trained::TrainingState state = run.begin(description, network.layout(), [&] {
    trained::TrainingState start = trained::start_training(network, plan.options);
    if (from) {
      const std::span<const float> values = from->values->values();
      std::ranges::copy(values, start.values.values().begin());
    }
    return start;
  });
  trained::WordVectors vectors(plan.shape.layers, plan.shape.width, plan.pieces, request.folder);
  run.encode(
      plan.shape.layers, [&](const embed::EncodedTexts& block) { vectors.add(block, run.context().pool); },
      [&](std::size_t text) { return vectors.words(text); });
  trained::Trainer trainer(network, vectors, run.data(), plan.options, run.products());
  trainer.run(
      state,
      [&](const trained::TrainingState& reached) {
        trained::write_checkpoint(request.folder, description, reached);
      },
      std::chrono::seconds(request.checkpoint_every_s), run.context());
  trained::write_model(request.folder, plan, trainer.scale(), state);
  return run.finish(state, trained::read_model(request.folder).signature);
}

}  // namespace

void check_request(const TrainRequest& request) {
  const bool match = metric::learns_as(request.architecture, metric::Learned::match);
  const bool blend = metric::learns_as(request.architecture, metric::Learned::blend);
  if (!match && !blend) trained::parse_architecture(request.architecture);
  if (blend != !request.metrics.empty())
    throw_usage(blend ? "a blend needs the metrics it is made of" : "metrics are for a blend");
  if (blend) check_blend_parts(request);
  if (blend && (request.resume || !request.from.empty()))
    throw_usage("a blend is learned in one step: there is nothing to resume or to start from");
  if (request.token_vectors && request.encoder.model != EncoderOptions{}.model)
    throw_usage("token vectors stand in place of an encoder: leave the model out");
  if (blend && request.token_vectors)
    throw_usage(
        "a blend is made of metrics, which read texts: token vectors are for what is trained on vectors");
  trained::parse_pieces(request.pieces);
  if (request.train.empty()) throw_usage("no table to learn from given");
  const bool validated = !request.valid.empty() && request.valid.front() != "none";
  if (!validated && request.needs_validation())
    throw_usage("no validation data given: they are needed to know when to stop");
  if (request.reference.empty() || request.hypothesis.empty() || request.gold.empty())
    throw_usage("training needs the columns of references, of texts to judge and of their human scores");
  if (request.folder.empty()) throw_usage("no folder for the result given");
  if (request.recipe != "published" && request.recipe != "tuned")
    throw_usage(fmt::format("unknown recipe '{}', expected published or tuned", request.recipe));
  if (request.learning_rate && (!(*request.learning_rate > 0) || !std::isfinite(*request.learning_rate)))
    throw_usage("the learning rate must be a number above 0");
  if (request.dropout && !(*request.dropout >= 0 && *request.dropout < 1))
    throw_usage("the dropout must be from 0 to below 1");
  if (request.batch == 0 || request.epochs == 0 || request.patience == 0 || (request.hidden == 0 && !match))
    throw_usage("batch, epochs, patience and hidden must be at least 1");
  if (!request.group.empty() && ((!match && !blend) || !validated))
    throw_usage("a column of groups is for validation tables of match and blend");
  if (match && (request.heads == 0 || request.heads > 64 || request.width == 0))
    throw_usage("heads must be from 1 to 64, and their width at least 1");
  if (match && request.batch < 4) throw_usage("match needs a batch of at least 4 pairs");
}

TrainReport train(const TrainRequest& request, const score::Caller& asked) {
  WarnsOnce once(asked.observer);
  const score::Caller caller{asked.runtime, asked.observer == nullptr ? nullptr : &once, asked.cancel};
  TrainingRun run(request, caller);
  const auto learns = [&](metric::Learned what) { return metric::learns_as(request.architecture, what); };
  TrainReport report = learns(metric::Learned::blend)   ? train_blend(request, caller, run)
                       : learns(metric::Learned::match) ? train_match(request, run)
                                                        : train_network(request, run);
  // The model is written by now: nobody has to wait for the comparison.
  try {
    compare_with_known(request, run.data(), caller, report);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::cancelled) throw;
  }
  return report;
}

}  // namespace markeval::training

namespace markeval {

bool TrainRequest::needs_validation() const {
  return metric::learns_as(architecture, metric::Learned::network);
}

}  // namespace markeval
