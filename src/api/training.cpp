#include "api/training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "api/listener.hpp"
#include "api/markeval.hpp"
#include "api/model_choice.hpp"
#include "api/pair_scoring.hpp"
#include "base/error.hpp"
#include "embed/cached_text_encoder.hpp"
#include "embed/digest.hpp"
#include "embed/model_store.hpp"
#include "embed/places.hpp"
#include "embed/weight_hash.hpp"
#include "text/score_columns.hpp"
#include "text/utf8.hpp"
#include "trained/model_folder.hpp"
#include "trained/trainer.hpp"

namespace markeval {
namespace {

namespace fs = std::filesystem;

void check_request(const TrainRequest& request) {
  trained::parse_architecture(request.architecture);
  if (request.train.empty()) throw_usage("no table to learn from given");
  if (request.valid.empty())
    throw_usage("no validation data given: without them nobody can tell when to stop");
  if (request.reference.empty() || request.hypothesis.empty() || request.gold.empty())
    throw_usage("training needs the columns of references, of texts to judge and of their human scores");
  if (request.folder.empty()) throw_usage("no folder for the result given");
  if (request.recipe != "published" && request.recipe != "tuned")
    throw_usage(fmt::format("unknown recipe '{}', expected published or tuned", request.recipe));
  if (request.learning_rate && (!(*request.learning_rate > 0) || !std::isfinite(*request.learning_rate)))
    throw_usage("the learning rate must be a number above 0");
  if (!(request.dropout >= 0 && request.dropout < 1)) throw_usage("the dropout must be from 0 to below 1");
  if (request.batch == 0 || request.epochs == 0 || request.patience == 0 || request.hidden == 0)
    throw_usage("batch, epochs, patience and hidden must be at least 1");
}

/// Adds the pairs of one table; a pair per reference where a cell lists several.
trained::DataFile read_table(const std::string& path, const TrainRequest& request,
                             trained::TrainingData& data, std::vector<trained::ScoredPair>& pairs,
                             const RunContext& context) {
  const std::vector<text::ColumnRequest> columns{{request.reference, text::ColumnKind::texts},
                                                 {request.hypothesis, text::ColumnKind::texts},
                                                 {request.gold, text::ColumnKind::number}};
  if (path == "-")
    throw_usage("tables to learn from must be files: their bytes are part of the result's name");
  const std::vector<text::Column> found = text::read_columns(path, columns, {request.replace_invalid});
  const std::size_t before = pairs.size();
  std::size_t unscored = 0;
  for (std::size_t row = 0; row < found[2].numbers.size(); ++row) {
    if (found[1].texts[row].size() != 1) {
      throw_invalid(fmt::format("{}: row {}: {} texts to judge, expected one", path, row + 1,
                                found[1].texts[row].size()));
    }
    if (!found[2].numbers[row]) {
      ++unscored;
      continue;
    }
    const std::size_t judged = data.add_text(std::string(text::strip(found[1].texts[row].front())));
    for (const std::string& reference : found[0].texts[row])
      pairs.push_back({judged, data.add_text(std::string(text::strip(reference))), *found[2].numbers[row]});
  }
  if (unscored > 0)
    context.warn(fmt::format("{}: {} rows left out, the human score is missing", path, unscored));
  if (pairs.size() == before) throw_invalid(fmt::format("{}: no row has a human score", path));
  return {fs::path(path).filename().string(), embed::sha256_of_file(path), pairs.size() - before};
}

/// What was learned by heart is no measure of what was learned.
void warn_of_shared_pairs(const trained::TrainingData& data, const RunContext& context) {
  std::set<std::pair<std::size_t, std::size_t>> seen;
  for (const trained::ScoredPair& pair : data.train) seen.emplace(pair.text, pair.reference);
  const auto shared =
      std::count_if(data.valid.begin(), data.valid.end(), [&](const trained::ScoredPair& pair) {
        return seen.contains({pair.text, pair.reference});
      });
  if (shared > 0) {
    context.warn(fmt::format("{} of {} pairs to validate with are in the training data too", shared,
                             data.valid.size()));
  }
}

/// Pairs with a text of no words cannot be learned from.
void drop_empty(std::vector<trained::ScoredPair>& pairs, const trained::WordVectors& vectors,
                const char* what, const RunContext& context) {
  const std::size_t dropped = std::erase_if(pairs, [&](const trained::ScoredPair& pair) {
    return vectors.words(pair.text) == 0 || vectors.words(pair.reference) == 0;
  });
  if (dropped > 0) context.warn(fmt::format("{} {} pairs left out, a text has no words", dropped, what));
  if (pairs.empty()) throw_invalid(fmt::format("no {} pair has words in both texts", what));
}

/// Everything about a text's vectors besides the text.
embed::CacheContext cache_key(const std::string& model_folder, const std::string& device,
                              const trained::EncoderIdentity& encoder) {
  return embed::CacheContext({{"weights", encoder.hash},
                              {"settings", embed::settings_hash(model_folder)},
                              {"vector", "first piece of each word|all layers"},
                              {"max_length", std::to_string(encoder.max_length)},
                              {"precision", encoder.precision},
                              {"device", device},
                              {"encoder", embed::kEncoderRevision}});
}

std::string file_in(const TrainRequest& request, const char* name) {
  return (fs::path(request.folder) / name).string();
}

/// A new training must not destroy what is there.
void check_folder(const TrainRequest& request) {
  if (fs::exists(request.folder) && !fs::is_directory(request.folder))
    throw_usage(fmt::format("{} is a file, expected a folder for the result", request.folder));
  if (request.resume) return;
  if (fs::exists(file_in(request, trained::kCheckpointFile))) {
    throw_usage(fmt::format("{} holds an unfinished training: --resume continues it, or take another folder",
                            request.folder));
  }
  if (fs::exists(file_in(request, trained::kWeightsFile)) ||
      fs::exists(file_in(request, trained::kConfigFile)))
    throw_usage(fmt::format("{} holds a model already, expected a new folder", request.folder));
}

/// The weights another training ended with, where they fit.
trained::TrainedModel read_start(const std::string& folder, const trained::TrainingPlan& plan) {
  trained::TrainedModel start = trained::read_model(folder);
  trained::check_fits(folder, start, plan.shape.architecture, plan.encoder);
  const auto refuse = [&](const std::string& found, const std::string& expected) {
    throw_invalid(fmt::format("{}: cannot start from it: {}, expected {}", folder, found, expected));
  };
  if (start.shape.standardised != plan.shape.standardised) {
    const auto recipe = [](bool standardised) { return standardised ? "tuned" : "published"; };
    refuse(fmt::format("its recipe is {}", recipe(start.shape.standardised)),
           recipe(plan.shape.standardised));
  }
  if (start.shape != plan.shape)
    refuse(fmt::format("its width is {}", start.shape.hidden), std::to_string(plan.shape.hidden));
  return start;
}

void make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw Error(ErrorCode::io, fmt::format("{}: cannot make this folder: {}", folder, error.message()));
}

}  // namespace

TrainReport train(const TrainRequest& request, const Settings& settings, Observer* observer,
                  const std::atomic<bool>* cancel) {
  check_request(request);
  Listener listener(observer);
  ThreadPool pool(settings.threads);
  const RunContext context{pool, &listener, &listener, cancel};
  check_folder(request);

  trained::TrainingPlan plan;
  trained::TrainingData data;
  for (const std::string& path : request.train)
    plan.train.push_back(read_table(path, request, data, data.train, context));
  for (const std::string& path : request.valid)
    plan.valid.push_back(read_table(path, request, data, data.valid, context));
  plan.columns = fmt::format("ref {}, hyp {}, gold {}", request.reference, request.hypothesis, request.gold);

  const std::unique_ptr<compute::Device> device = compute::make_cpu_device(pool);
  embed::EncoderStore encoders(*device);
  TokenSources sources(encoders);
  const std::string model_folder = embed::find_model(request.model);
  embed::TokenSource& source = sources.encoder(request.model, "f32", request.max_length);
  plan.encoder = {source.model_name(), embed::weight_hash(model_folder), "f32", 0};
  for (const auto& [name, value] : source.signature()) {
    if (name == "max_length") plan.encoder.max_length = std::stoul(value);
  }
  plan.shape = {trained::parse_architecture(request.architecture),
                source.last_layer() + 1,
                source.width(),
                request.hidden,
                request.hidden,
                request.recipe == "tuned"};
  plan.options.shared_dropout = request.recipe == "tuned";
  plan.options.distance_start = request.recipe == "tuned" && request.architecture != "esim";
  plan.options.learning_rate = request.learning_rate.value_or(plan.options.distance_start ? 4e-5 : 4e-4);
  plan.options.dropout = request.dropout;
  plan.options.batch = request.batch;
  plan.options.epochs = request.epochs;
  plan.options.patience = request.patience;
  plan.options.seed = request.seed;
  std::optional<trained::TrainedModel> start;
  if (!request.from.empty()) {
    start = read_start(request.from, plan);
    plan.from = start->weights_hash;
    plan.options.given_start = true;
    plan.options.distance_start = false;
  }

  trained::Network<float> network(plan.shape);
  const bool goes_on = request.resume && fs::exists(file_in(request, trained::kCheckpointFile));
  if (request.resume && !goes_on) {
    if (fs::exists(file_in(request, trained::kConfigFile)))
      throw_usage(fmt::format("{}: training is finished, there is nothing to resume", request.folder));
    listener.info(
        fmt::format("{} holds no checkpoint yet: training starts from the beginning", request.folder));
  }
  trained::TrainingState state = goes_on ? trained::read_checkpoint(request.folder, plan, network.layout())
                                         : trained::start_training(network, plan.options);
  if (start && !goes_on) {
    const std::span<const float> values = start->values->values();
    std::copy(values.begin(), values.end(), state.values.values().begin());
  }
  if (goes_on) {
    listener.info(fmt::format("going on from epoch {}, batch {}", state.curve.size() + 1, state.batch + 1));
  } else {
    make_folder(request.folder);
    trained::write_checkpoint(request.folder, plan, state);  // from now on the folder is taken
  }

  cache::VectorCache cache(request.cache.empty() ? embed::default_cache_folder() : request.cache,
                           embed::default_cache_bytes(), &listener);
  trained::WordEncoder encoder(source, cache, cache_key(model_folder, device->name(), plan.encoder), pool);
  const trained::WordVectors vectors(encoder, data.texts, file_in(request, "word_vectors.tmp"), context);
  cache.flush();
  if (vectors.counts().cut_texts > 0) {
    context.warn(fmt::format("{} texts are longer than {} and were cut", vectors.counts().cut_texts,
                             length_limit(request.max_length)));
  }
  warn_of_shared_pairs(data, context);
  drop_empty(data.train, vectors, "training", context);
  drop_empty(data.valid, vectors, "validation", context);
  if (std::all_of(data.valid.begin(), data.valid.end(),
                  [&](const trained::ScoredPair& pair) { return pair.gold == data.valid.front().gold; })) {
    throw_invalid(fmt::format("all {} human scores to validate with are the same", data.valid.size()));
  }

  const compute::Products products(pool);
  trained::Trainer trainer(network, vectors, data, plan.options, products);
  trainer.run(
      state,
      [&](const trained::TrainingState& reached) {
        trained::write_checkpoint(request.folder, plan, reached);
      },
      std::chrono::seconds(request.checkpoint_every_s), context);
  trained::write_model(request.folder, plan, trainer.scale(), state);
  fs::remove(file_in(request, trained::kCheckpointFile));

  TrainReport report;
  report.architecture = request.architecture;
  report.folder = request.folder;
  report.signature = trained::read_model(request.folder).signature;
  report.train_pairs = data.train.size();
  report.valid_pairs = data.valid.size();
  for (const trained::EpochRecord& record : state.curve)
    report.epochs.push_back({record.loss, record.pearson, record.learning_rate});
  report.best_epoch = state.best_epoch;
  report.warnings = listener.take_warnings();
  return report;
}

}  // namespace markeval
