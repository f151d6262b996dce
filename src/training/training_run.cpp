// Locking, the check of the folder, encoding in blocks of 128 texts, and reading of checkpoints.
#include "training/training_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/block_progress.hpp"
#include "base/cancellation.hpp"
#include "base/error.hpp"
#include "base/paths.hpp"
#include "encoder/text_error.hpp"
#include "metric/registry.hpp"
#include "trained/word_vectors.hpp"

namespace markeval::training {

namespace fs = std::filesystem;

TrainingRun::TrainingRun(const TrainRequest& request, const score::Caller& caller)
    : request_(request),
      caller_(caller),
      listener_(caller.observer),
      context_{caller.runtime.pool, &listener_, &listener_, caller.cancel} {
  const CancelScope stoppable(caller.cancel);
  if (path_exists(request.folder) && !is_folder(request.folder))
    throw_usage(fmt::format("{} is a file, expected a folder for the result", request.folder));
  lock_.emplace(request.folder);
  check_folder();
  tables_.emplace(request, context_);
  if (request.token_vectors || metric::learns_as(request.architecture, metric::Learned::blend))
    return;                                                                              // its metrics encode
  cache_.reset(new cache::VectorCache(score::open_cache(request.encoder, &listener_)));  // it cannot be moved
  encoder_.emplace(caller.runtime.models, request.encoder, *cache_);
  if (encoder_->model().folder().has_file(file(trained::kWeightsFile)))
    throw_usage(
        fmt::format("{} is the folder of the model itself, take another one for the result", request.folder));
}

embed::VectorSource& TrainingRun::source() {
  if (request_.token_vectors) return tables_->token_vectors();
  return *encoder_;
}

trained::EncoderIdentity TrainingRun::identity() {
  const CancelScope stoppable(context_.cancel);
  return request_.token_vectors ? trained::identity_of(tables_->token_vectors())
                                : trained::identity_of(*encoder_);
}

std::string TrainingRun::file(const char* name) const {
  return (fs::path(request_.folder) / name).string();
}

/// A new training must not destroy what is there.
void TrainingRun::check_folder() const {
  if (request_.resume) return;
  if (request_.force) {
    remove_file(file(trained::kCheckpointFile));
    return;
  }
  if (path_exists(file(trained::kCheckpointFile))) {
    throw_usage(fmt::format(
        "{} holds an unfinished training: --resume continues it, --force starts anew, or take another folder",
        request_.folder));
  }
  if (path_exists(file(trained::kWeightsFile)) || path_exists(file(trained::kConfigFile)))
    throw_usage(fmt::format("{} holds a model already: take another folder, or replace it with --force",
                            request_.folder));
}

trained::TrainingState TrainingRun::begin(const std::string& plan, const trained::ParameterLayout& layout,
                                          const std::function<trained::TrainingState()>& start) {
  const bool goes_on = request_.resume && path_exists(file(trained::kCheckpointFile));
  if (request_.resume && !goes_on) {
    if (path_exists(file(trained::kConfigFile)))
      throw_usage(fmt::format("{}: training is finished, there is nothing to resume", request_.folder));
    listener_.info(
        fmt::format("{} holds no checkpoint yet: training starts from the beginning", request_.folder));
  }
  if (!goes_on) {
    trained::TrainingState state = start();
    trained::write_checkpoint(request_.folder, plan, state);
    return state;
  }
  trained::TrainingState state = trained::read_checkpoint(request_.folder, plan, layout);
  listener_.info(fmt::format("going on from epoch {}, batch {}", state.curve.size() + 1, state.batch + 1));
  return state;
}

void TrainingRun::encode(std::size_t layers, const std::function<void(const embed::EncodedTexts&)>& add,
                         const std::function<std::size_t(std::size_t)>& words) {
  constexpr std::size_t kBlockTexts = 128;  // bounds the memory of their states
  const std::vector<std::string_view> texts = tables_->texts();
  const embed::EncodeRequest wanted = trained::word_request(layers - 1, true);
  std::size_t cut = 0;
  for (std::size_t first = 0; first < texts.size(); first += kBlockTexts) {
    context_.check_cancelled();
    const std::size_t count = std::min(kBlockTexts, texts.size() - first);
    const BlockProgress progress(context_, "encoding texts", first, first + count, texts.size());
    try {
      const embed::EncodedTexts encoded =
          source().encode(std::span(texts).subspan(first, count), wanted, {}, progress.context());
      add(encoded);  // texts are distinct or kept apart, so places are numbers of texts
      for (std::size_t slot = 0; slot < encoded.distinct(); ++slot) cut += encoded.counts(slot).cut_texts;
    } catch (const encoder::TextError& error) {
      const auto number = std::ranges::find(texts, error.text()) - texts.begin();
      throw error.at(tables_->origin(static_cast<std::size_t>(number)));
    }
  }
  context_.report_progress("encoding texts", texts.size(), texts.size());
  if (cut > 0) {
    context_.warn(fmt::format("{} of {} texts are longer than {} tokens and were cut", cut, texts.size(),
                              source().limit()));
  }
  if (cache_) cache_->flush();
  tables_->leave_out_empty(words);
}

TrainReport TrainingRun::finish(const trained::TrainingState& state, std::string signature) {
  remove_file(file(trained::kCheckpointFile));
  TrainReport report;
  report.architecture = request_.architecture;
  report.folder = request_.folder;
  report.signature = std::move(signature);
  report.train_pairs = data().train.size();
  report.valid_pairs = data().valid.size();
  report.held_out = tables_->held_out();
  for (const trained::EpochRecord& record : state.curve)
    report.epochs.push_back({record.loss, record.pearson, record.learning_rate});
  report.best_epoch = state.best_epoch;
  report.warnings = listener_.take_warnings();
  return report;
}

}  // namespace markeval::training
