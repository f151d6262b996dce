#include "api/trained_scoring.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/model_choice.hpp"
#include "base/error.hpp"
#include "embed/model_store.hpp"
#include "cache/vector_cache.hpp"
#include "embed/weight_hash.hpp"
#include "trained/model_folder.hpp"
#include "trained/prediction.hpp"

namespace markeval {
namespace {

trained::TrainedModel load(const metric::MetricRequest& one, const ScoreRequest& request) {
  const std::string& folder = one.options.text("weights");
  if (folder.empty()) {
    throw_usage(fmt::format("{} needs weights: {}:weights=FOLDER, made by markeval train", one.info->name,
                            one.info->name));
  }
  trained::TrainedModel model = trained::read_model(folder);
  const std::string encoder = embed::find_model(request.model);
  trained::check_fits(
      folder, model, trained::parse_architecture(one.info->name),
      {embed::model_name(encoder), embed::weight_hash(encoder), request.precision, request.max_length});
  return model;
}

/// Pairs of one system: every reference of every segment.
struct SystemPairs {
  explicit SystemPairs(const metric::PairCorpus& corpus, const metric::PairSystem& system) {
    for (std::size_t segment = 0; segment < system.lines.size(); ++segment) {
      for (const std::string& reference : corpus.references[segment])
        pairs.push_back({system.lines[segment], reference});
      ends.push_back(pairs.size());
    }
  }
  std::vector<trained::TextPair> pairs;
  std::vector<std::size_t> ends;  ///< of the segments
};

metric::MetricResult summarize(const SystemPairs& pairs, const trained::PairScores& found, bool segments) {
  std::vector<double> values;
  std::uint64_t empty_candidates = 0, empty_references = 0;
  double sum = 0;
  for (std::size_t segment = 0, begin = 0; segment < pairs.ends.size(); begin = pairs.ends[segment++]) {
    double total = 0;
    std::size_t scored = 0;
    for (std::size_t i = begin; i < pairs.ends[segment]; ++i) {
      if (found.no_words_in_text[i] || found.no_words_in_reference[i]) continue;
      total += found.scores[i];
      ++scored;
    }
    if (scored == 0) (found.no_words_in_text[begin] ? empty_candidates : empty_references) += 1;
    values.push_back(scored == 0 ? 0 : total / static_cast<double>(scored));
    sum += values.back();
  }
  metric::MetricResult result;
  result.scores = {{"score", sum / static_cast<double>(values.size())}};
  result.details = {{"segments", std::uint64_t{values.size()}},
                    {"empty_candidates", empty_candidates},
                    {"empty_references", empty_references}};
  if (segments) result.segments = {{"score", std::move(values)}};
  return result;
}

}  // namespace

std::vector<metric::MetricResult> score_trained_texts(const ScoreRequest& request,
                                                      const metric::PairCorpus& corpus,
                                                      std::span<const metric::MetricRequest> requests,
                                                      TokenSources& sources, const RunContext& context) {
  std::vector<trained::TrainedModel> models;
  for (const metric::MetricRequest& one : requests) models.push_back(load(one, request));
  embed::TokenSource& source = sources.encoder(request.model, request.precision, request.max_length);
  cache::VectorCache no_cache("none");
  trained::WordEncoder encoder(source, no_cache, embed::CacheContext({}), context.pool);
  const compute::Products products(context.pool);
  std::vector<metric::MetricResult> results;
  for (const metric::PairSystem& system : corpus.systems) {
    const SystemPairs pairs(corpus, system);
    for (std::size_t index = 0; index < requests.size(); ++index) {
      trained::TrainedModel& model = models[index];
      if (model.shape.layers != encoder.layers() || model.shape.width != encoder.width()) {
        throw_invalid(
            fmt::format("{}: made for vectors of {} layers and {} columns, the model gives {} and {}",
                        requests[index].options.text("weights"), model.shape.layers, model.shape.width,
                        encoder.layers(), encoder.width()));
      }
      const trained::PairScores found = trained::score_text_pairs(*model.network, *model.values, model.scale,
                                                                  encoder, pairs.pairs, products, context);
      if (found.counts.cut_texts > 0 && index == 0) {
        context.warn(fmt::format("{}: {} texts are longer than {} and were cut", system.name,
                                 found.counts.cut_texts, length_limit(request.max_length)));
      }
      metric::MetricResult result =
          summarize(pairs, found, request.segments || request.resamples > 0 || request.page);
      result.signature = {{"weights", model.weights_hash.substr(0, 8)}, {"multi", "mean"}};
      for (const auto& part : source.signature()) result.signature.push_back(part);
      result.signature.emplace_back("version", version());
      results.push_back(std::move(result));
    }
  }
  return results;
}

}  // namespace markeval
