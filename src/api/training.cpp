#include "api/training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "api/evaluator_state.hpp"
#include "api/listener.hpp"
#include "api/markeval.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "embed/text_encoder.hpp"
#include "encoder/not_finite.hpp"
#include "report/cells.hpp"
#include "text/score_columns.hpp"
#include "text/utf8.hpp"
#include "trained/folder_lock.hpp"
#include "trained/model_folder.hpp"
#include "trained/trainer.hpp"

namespace markeval {
namespace {

namespace fs = std::filesystem;

void check_request(const TrainRequest& request) {
  trained::parse_architecture(request.architecture);
  trained::parse_pieces(request.pieces);
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

/// The pairs of all tables, and where each of their distinct texts first stands.
struct Tables {
  struct TablePlace {
    std::string file;
    std::size_t row = 0;  ///< from 1, without the header
  };
  trained::TrainingData data;
  std::vector<TablePlace> places;  ///< as data.texts

  std::size_t add(std::string_view text, const TablePlace& place) {
    const std::size_t number = data.add_text(std::string(text::strip(text)));
    if (number == places.size()) places.push_back(place);
    return number;
  }
};

/// Adds the pairs of one table; a pair per reference where a cell lists several.
trained::DataFile read_table(const std::string& path, const TrainRequest& request, Tables& tables,
                             std::vector<trained::ScoredPair>& pairs, const RunContext& context) {
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
    const Tables::TablePlace place{path, row + 1};
    const std::size_t judged = tables.add(found[1].texts[row].front(), place);
    for (const std::string& reference : found[0].texts[row])
      pairs.push_back({judged, tables.add(reference, place), *found[2].numbers[row]});
  }
  if (unscored > 0)
    context.warn(fmt::format("{}: {} rows left out, the human score is missing", path, unscored));
  if (pairs.size() == before) throw_invalid(fmt::format("{}: no row has a human score", path));
  return {fs::path(path).filename().string(), sha256_of_file(path), pairs.size() - before};
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

std::string file_in(const TrainRequest& request, const char* name) {
  return (fs::path(request.folder) / name).string();
}

/// All texts, encoded once and kept for every epoch in a file of the training's folder.
trained::WordVectors encode_texts(embed::TextEncoder& encoder, const Tables& tables, trained::Pieces pieces,
                                  const TrainRequest& request, const RunContext& context) {
  constexpr std::size_t kBlockTexts = 128;  // bounds the memory of their states
  const std::vector<std::string>& texts = tables.data.texts;
  const embed::EncodeRequest wanted = trained::word_request(encoder.last_layer(), true);
  trained::WordVectors vectors(encoder.last_layer() + 1, encoder.width(), pieces, request.folder);
  std::size_t cut = 0;
  for (std::size_t first = 0; first < texts.size(); first += kBlockTexts) {
    context.check_cancelled();
    context.report_progress("encoding texts", first, texts.size());
    const std::size_t count = std::min(kBlockTexts, texts.size() - first);
    const auto begin = texts.begin() + static_cast<std::ptrdiff_t>(first);
    const std::vector<std::string_view> block(begin, begin + static_cast<std::ptrdiff_t>(count));
    try {
      const embed::EncodedTexts encoded = encoder.encode(block, wanted, {}, context);
      vectors.add(encoded, context.pool);  // texts are distinct, so places are numbers of texts
      for (std::size_t place = 0; place < encoded.distinct(); ++place) cut += encoded.counts(place).cut_texts;
    } catch (const encoder::NotFinite& error) {
      const auto number = std::find(texts.begin(), texts.end(), error.text()) - texts.begin();
      const Tables::TablePlace& place = tables.places.at(static_cast<std::size_t>(number));
      throw error.at(fmt::format("{}: row {}", place.file, place.row));
    }
  }
  context.report_progress("encoding texts", texts.size(), texts.size());
  if (cut > 0) {
    context.warn(fmt::format("{} of {} texts are longer than {} tokens and were cut", cut, texts.size(),
                             encoder.limit()));
  }
  return vectors;
}

/// A new training must not destroy what is there.
void check_folder(const TrainRequest& request) {
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

}  // namespace

TrainReport train(const TrainRequest& request, const Settings& settings, Observer* observer,
                  const std::atomic<bool>* cancel) {
  check_request(request);
  Evaluator::State state_of_run(settings);
  Listener listener(observer);
  const RunContext context{state_of_run.pool, &listener, &listener, cancel};
  if (fs::exists(request.folder) && !fs::is_directory(request.folder))
    throw_usage(fmt::format("{} is a file, expected a folder for the result", request.folder));
  const trained::FolderLock lock(request.folder);
  check_folder(request);

  trained::TrainingPlan plan;
  Tables tables;
  trained::TrainingData& data = tables.data;
  for (const std::string& path : request.train)
    plan.train.push_back(read_table(path, request, tables, data.train, context));
  for (const std::string& path : request.valid)
    plan.valid.push_back(read_table(path, request, tables, data.valid, context));
  plan.columns = fmt::format("ref {}, hyp {}, gold {}", request.reference, request.hypothesis, request.gold);

  cache::VectorCache cache = open_cache(request.encoder, &listener);
  embed::TextEncoder encoder(state_of_run.models, request.encoder, cache);
  plan.encoder = trained::identity_of(encoder);
  plan.pieces = trained::parse_pieces(request.pieces);
  plan.shape = {trained::parse_architecture(request.architecture),
                encoder.last_layer() + 1,
                encoder.width(),
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
    trained::write_checkpoint(request.folder, plan, state);  // from now on the folder is taken
  }

  const trained::WordVectors vectors = encode_texts(encoder, tables, plan.pieces, request, context);
  cache.flush();
  warn_of_shared_pairs(data, context);
  drop_empty(data.train, vectors, "training", context);
  drop_empty(data.valid, vectors, "validation", context);
  if (std::all_of(data.valid.begin(), data.valid.end(),
                  [&](const trained::ScoredPair& pair) { return pair.gold == data.valid.front().gold; })) {
    throw_invalid(fmt::format("all {} human scores to validate with are the same", data.valid.size()));
  }

  trained::Trainer trainer(network, vectors, data, plan.options, encoder.model().device().products());
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

std::string TrainReport::text() const {
  std::vector<std::vector<std::string>> rows{{"epoch", "loss", "validation_pearson", "learning_rate", ""}};
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    rows.push_back({std::to_string(i + 1), fmt::format("{:.4f}", epochs[i].loss),
                    fmt::format("{:.4f}", epochs[i].pearson), fmt::format("{:.3g}", epochs[i].learning_rate),
                    i + 1 == best_epoch ? "best" : ""});
  }
  return report::align(rows, 0) + fmt::format("\n{}: {} pairs learned from, {} to validate\nsignature: {}\n",
                                              folder, train_pairs, valid_pairs, signature);
}

std::string TrainReport::json() const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Epoch& epoch : epochs) {
    list.push_back(
        {{"loss", epoch.loss}, {"pearson", epoch.pearson}, {"learning_rate", epoch.learning_rate}});
  }
  const nlohmann::ordered_json document{
      {"markeval", version()},      {"architecture", architecture}, {"folder", folder},
      {"train_pairs", train_pairs}, {"valid_pairs", valid_pairs},   {"epochs", list},
      {"best_epoch", best_epoch},   {"signature", signature},       {"warnings", warnings}};
  return document.dump(1) + "\n";
}

std::string TrainReport::tsv() const {
  std::string text = "epoch\tloss\tpearson\tlearning_rate\tbest\n";
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    text += fmt::format("{}\t{:.9g}\t{:.9g}\t{:.9g}\t{}\n", i + 1, epochs[i].loss, epochs[i].pearson,
                        epochs[i].learning_rate, i + 1 == best_epoch ? "yes" : "no");
  }
  return text;
}

}  // namespace markeval
