// Checks that a model fits the encoder, and the scoring of each block's pairs.
#include "score/trained_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/version.hpp"
#include "trained/prediction.hpp"

namespace markeval::score {
namespace {

void check_fits(const Metric& request, const trained::TrainedModel& model, const embed::VectorSource& source,
                const trained::EncoderIdentity& identity) {
  const std::string& folder = request.options.text("weights");
  trained::check_fits(folder, model, trained::parse_architecture(request.info->name), identity);
  if (model.shape.layers != source.last_layer() + 1 || model.shape.width != source.width())
    trained::refuse_shape(folder, model.shape.layers, model.shape.width, source, identity);
}

}  // namespace

std::vector<trained::TrainedModel> load_trained(std::span<const Metric> requests) {
  std::vector<trained::TrainedModel> models;
  for (const Metric& request : requests) {
    const std::string& folder = request.options.text("weights");
    if (folder.empty()) {
      throw_usage(fmt::format("{} needs weights: {}:weights=FOLDER, made by markeval train",
                              request.info->name, request.info->name));
    }
    models.push_back(trained::read_model(folder));
  }
  return models;
}

TrainedRun::TrainedRun(std::span<const Metric> requests, std::vector<trained::TrainedModel> models,
                       const trained::EncoderIdentity& identity, const metric::RunInputs& inputs,
                       bool keep_segments)
    : requests_(requests),
      models_(std::move(models)),
      texts_(inputs.texts),
      source_(inputs.source),
      keep_segments_(keep_segments),
      context_(inputs.context),
      products_(inputs.device.products()) {
  for (std::size_t i = 0; i < requests.size(); ++i) check_fits(requests[i], models_[i], source_, identity);
  scores_.resize(texts_.systems.size() * requests.size());
  for (Scores& scores : scores_) scores.segments.assign(texts_.lines(), 0);
}

embed::EncodeRequest TrainedRun::request() const {
  return trained::word_request(source_.last_layer(), false);
}

void TrainedRun::take(const embed::TextBlock& block) {
  for (std::size_t model = 0; model < models_.size(); ++model) score(block, model);
}

/// A segment's score is the mean over its references, or the best of them; 0 where there is no word. The
/// systems' pairs of one line stand together, so that predict() finds the reference they share.
void TrainedRun::score(const embed::TextBlock& block, std::size_t model) {
  const trained::TrainedModel& one = models_[model];
  const trained::StateWords words(block.texts(), one.pieces, *one.network, *one.values, products_);
  const std::size_t systems = texts_.systems.size();
  std::vector<trained::ScoredPair> pairs;
  std::vector<std::size_t> ends;  // in pairs, of the segments: by line, then by system
  for (std::size_t segment = 0; segment < block.lines().size() * systems; ++segment) {
    const std::size_t index = segment / systems, system = segment % systems;
    const std::uint32_t candidate = block.candidate(system, index).front();
    const std::size_t before = pairs.size();
    for (std::size_t file = 0; file < texts_.references.size(); ++file) {
      for (const std::uint32_t reference : block.reference(file, index)) {
        if (words.words(candidate) > 0 && words.words(reference) > 0)
          pairs.push_back({candidate, reference, 0});
      }
    }
    Scores& scores = scores_[system * models_.size() + model];
    if (pairs.size() == before)
      ++(words.words(candidate) == 0 ? scores.empty_candidates : scores.empty_references);
    ends.push_back(pairs.size());
  }
  const RunContext silent{context_.pool, nullptr, context_.log};
  const std::vector<double> found =
      trained::predict(*one.network, *one.values, one.scale, words, pairs, products_, silent);
  for (std::size_t segment = 0, begin = 0; segment < ends.size(); begin = ends[segment++]) {
    if (ends[segment] == begin) continue;
    const std::span<const double> scores(found.data() + begin, ends[segment] - begin);
    double score = *std::ranges::max_element(scores);
    if (requests_[model].options.text("multi") == "mean") {
      double sum = 0;
      for (const double one_score : scores) sum += one_score;
      score = sum / static_cast<double>(scores.size());
    }
    scores_[segment % systems * models_.size() + model].segments[block.lines()[segment / systems]] = score;
  }
}

std::vector<Result> TrainedRun::results() {
  std::vector<Result> results;
  for (std::size_t index = 0; index < scores_.size(); ++index) {
    Scores& scores = scores_[index];
    const trained::TrainedModel& model = models_[index % models_.size()];
    double sum = 0;
    for (const double value : scores.segments) sum += value;
    Result result;
    result.scores = {{"score", sum / static_cast<double>(scores.segments.size())}};
    result.details = {{"segments", std::uint64_t{scores.segments.size()}},
                      {"empty_candidates", scores.empty_candidates},
                      {"empty_references", scores.empty_references}};
    if (keep_segments_) result.segments = {{"score", std::move(scores.segments)}};
    result.signature_parts = {{"weights", model.weights_hash.substr(0, 8)},
                              {"pieces", std::string(trained::name(model.pieces))},
                              {"multi", requests_[index % models_.size()].options.text("multi")}};
    for (const auto& part : source_.signature()) result.signature_parts.push_back(part);
    result.signature_parts.emplace_back("version", version());
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace markeval::score
