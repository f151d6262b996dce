#include "api/pair_scoring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "api/model_choice.hpp"
#include "api/pair_examples.hpp"
#include "api/trained_scoring.hpp"
#include "base/error.hpp"
#include "embed/encoder_source.hpp"
#include "embed/idf.hpp"
#include "embed/static_source.hpp"
#include "models/store.hpp"
#include "text/utf8.hpp"

namespace markeval {

namespace {

metric::PairCorpus stripped(const TextInputs& inputs) {
  metric::PairCorpus corpus;
  for (const auto& segment : inputs.corpus.references) {
    auto& list = corpus.references.emplace_back();
    for (const std::string_view text : segment) list.emplace_back(text::strip(text));
  }
  for (std::size_t index = 0; index < inputs.corpus.systems.size(); ++index) {
    metric::PairSystem& system = corpus.systems.emplace_back();
    system.name = inputs.system_names[index];
    for (const std::string_view text : inputs.corpus.systems[index])
      system.lines.emplace_back(text::strip(text));
  }
  return corpus;
}

bool has_set_metric(const ScoreRequest& request) {
  return std::any_of(request.metrics.begin(), request.metrics.end(), [](const std::string& text) {
    return metric::parse_metric_request(text).info->kind == metric::Kind::set;
  });
}

/// More tokens than the model takes were asked for: it is its limit that cuts.
void warn_of_limit(const ScoreRequest& request, const embed::TokenSource& source,
                   metric::PairSettings& settings, const RunContext& context) {
  if (request.max_length <= source.limit()) return;
  context.warn(fmt::format("--max-length {}: the model takes {} tokens, which is the limit",
                           request.max_length, source.limit()));
  settings.limit = length_limit(0);
}

}  // namespace

embed::TokenSource& TokenSources::encoder(const std::string& model, const std::string& precision,
                                          std::size_t max_length) {
  return encoder(encoders_.open(models::find_model(model)), precision, max_length);
}

embed::TokenSource& TokenSources::encoder(const embed::ModelState& model, const std::string& precision,
                                          std::size_t max_length) {
  const std::shared_ptr<embed::TextEncoder> loaded = encoders_.get(model, parse_precision(precision));
  std::size_t limit = loaded->token_limit();
  if (max_length > 0) limit = std::min(limit, max_length);
  Source& entry = sources_[model->path() + "\n" + precision + "\n" + std::to_string(limit)];
  if (entry.encoder != loaded) {
    entry.source = std::make_unique<embed::EncoderSource>(
        loaded->tokenizer(), loaded->encoder(), limit, model->name(),
        std::vector<std::pair<std::string, std::string>>{{"model", model->signature()},
                                                         {"precision", precision},
                                                         {"max_length", std::to_string(limit)}},
        model->name_in_config());
    entry.encoder = loaded;
  }
  return *entry.source;
}

embed::TokenSource& TokenSources::words(const std::string& file, const metric::PairCorpus& corpus,
                                        std::size_t max_length) {
  std::unordered_set<std::string> wanted;
  const auto want = [&](std::string_view text) {
    for (const embed::WordSpan& span : embed::split_words(text)) {
      const std::string_view word = text.substr(span.begin, span.end - span.begin);
      std::size_t begin = 0;
      while (begin < word.size()) {  // the word, and its parts between inner punctuation
        std::size_t end = begin;
        while (end < word.size() && !embed::is_punctuation(word.substr(end, 1))) ++end;
        wanted.emplace(word.substr(begin, end - begin));
        wanted.insert(embed::lower_case(word.substr(begin, end - begin)));
        begin = end + 1;
      }
      wanted.emplace(word);
      wanted.insert(embed::lower_case(word));
    }
  };
  for (const auto& segment : corpus.references) {
    for (const std::string& text : segment) want(text);
  }
  for (const metric::PairSystem& system : corpus.systems) {
    for (const std::string& text : system.lines) want(text);
  }
  auto& source = sources_[file].source;
  const std::string name = file.substr(file.find_last_of('/') + 1);
  source = std::make_unique<embed::StaticSource>(embed::StaticVectors::load(file, &wanted), name,
                                                 max_length > 0 ? max_length : 512);
  return *source;
}

std::vector<metric::MetricResult> score_pair_texts(const ScoreRequest& request, const TextInputs& inputs,
                                                   std::span<const metric::MetricRequest> requests,
                                                   TokenSources& sources, const RunContext& context,
                                                   std::vector<metric::PairExplanation>* explanations,
                                                   std::vector<report::PairExamples>* examples) {
  const metric::PairCorpus corpus = stripped(inputs);
  metric::PairSettings settings;
  settings.limit = length_limit(request.max_length);
  if (request.max_length > 0 && has_set_metric(request)) settings.limit.clear();  // they tell file by file
  std::map<std::string, embed::TokenSource*> found;
  const auto source_of = [&](const std::string& embeddings) -> embed::TokenSource& {
    embed::TokenSource*& source = found[embeddings];
    if (source == nullptr) {
      source = embeddings.empty() ? &sources.encoder(request.model, request.precision, request.max_length)
                                  : &sources.words(embeddings, corpus, request.max_length);
      if (embeddings.empty()) warn_of_limit(request, *source, settings, context);
    }
    return *source;
  };
  settings.segments = request.segments || request.resamples > 0 || request.page;
  std::optional<embed::IdfTable> reference_idf, candidate_idf;
  if (const auto& given = request.reference_weights) {
    settings.reference_idf = &reference_idf.emplace(given->weights, given->other);
  }
  if (const auto& given = request.candidate_weights) {
    settings.candidate_idf = &candidate_idf.emplace(given->weights, given->other);
  }
  std::vector<metric::MetricRequest> pair_requests, trained_requests;
  for (const metric::MetricRequest& one : requests)
    (one.info->kind == metric::Kind::trained ? trained_requests : pair_requests).push_back(one);
  PairExampleKeeper keeper(corpus, pair_requests);
  if (explanations != nullptr || examples != nullptr) {
    settings.explain = [&](const metric::PairExplanation& explanation) {
      if (explanations != nullptr) explanations->push_back(explanation);
      if (examples != nullptr) keeper.offer(explanation);
    };
    settings.worth_explaining = [&](std::size_t segment, std::size_t system, std::size_t request_index,
                                    std::span<const double> scores) {
      const bool example = examples != nullptr && keeper.wants(segment, system, request_index, scores);
      return example || explanations != nullptr;
    };
  }
  std::vector<metric::MetricResult> pairs, trained, all;
  if (!trained_requests.empty())
    trained = score_trained_texts(request, corpus, trained_requests, sources, context);
  if (!pair_requests.empty())
    pairs = metric::score_pairs(corpus, pair_requests, source_of, settings, context);
  if (examples != nullptr) *examples = keeper.take();
  auto next_pair = pairs.begin(), next_trained = trained.begin();
  for (std::size_t system = 0; system < corpus.systems.size(); ++system) {
    for (const metric::MetricRequest& one : requests)
      all.push_back(std::move(one.info->kind == metric::Kind::trained ? *next_trained++ : *next_pair++));
  }
  return all;
}

}  // namespace markeval
