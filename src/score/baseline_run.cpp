// `markeval baseline`: what unrelated texts score with BERTScore, layer by layer.
#include <fmt/format.h>

#include <algorithm>

#include "base/cancellation.hpp"
#include "base/random.hpp"
#include "embed/text_encoder.hpp"
#include "encoder/text_error.hpp"
#include "metric/baseline.hpp"
#include "metric/pair_run.hpp"
#include "score/engine.hpp"
#include "score/listener.hpp"
#include "score/text_inputs.hpp"
#include "text/corpus.hpp"
#include "text/utf8.hpp"

namespace markeval::score {

std::string make_baseline(const BaselineRequest& request, const Caller& caller) {
  const auto& [runtime, observer, cancel] = caller;
  Listener listener(observer);
  const CancelScope stoppable(cancel);
  const RunContext context{runtime.pool, &listener, &listener};
  const Source& source_of_texts = request.texts.source;
  if (!std::holds_alternative<std::string>(source_of_texts) &&
      !std::holds_alternative<Texts>(source_of_texts))
    throw_usage("a baseline needs texts, but rows of vectors are given");
  const text::ReadOptions options{request.replace_invalid};
  const text::Corpus corpus = load_text_input(request.texts, "texts", options, {runtime.pool});
  std::vector<std::string> lines;
  for (const std::string& text : corpus.texts) {
    if (!text::strip(text).empty()) lines.emplace_back(text::strip(text));
  }
  std::ranges::sort(lines);
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  if (lines.size() < 2) {
    throw_invalid(fmt::format("{}: {} different lines, expected at least 2", corpus.name, lines.size()));
  }
  if (request.pairs == 0) throw_usage("pairs is 0, expected at least 1");

  text::Corpus candidates, references;
  for (std::uint64_t pair = 0; pair < request.pairs; ++pair) {
    RandomStream random(request.seed, pair);
    const std::size_t one = random.below(lines.size());
    const std::size_t other = (one + 1 + random.below(lines.size() - 1)) % lines.size();
    candidates.add(lines[one]);
    references.add(lines[other]);
  }
  cache::VectorCache no_cache("none");
  embed::TextEncoder encoder(runtime.models, request.encoder, no_cache);
  std::vector<Metric> layers;
  for (std::size_t layer = 0; layer <= encoder.last_layer(); ++layer)
    layers.emplace_back(fmt::format("bertscore:layer={}", layer));
  const embed::RunTexts texts{std::span(&references, 1), std::span(&candidates, 1)};
  const std::vector<std::string> names{"baseline"};
  metric::PairRun run(layers, metric::make_pair_metrics(layers),
                      {texts, names, encoder, encoder.model().device(), context}, {});
  try {
    std::vector<embed::TextUser*> users{&run};
    embed::run_texts(encoder, texts, users, context);
  } catch (const encoder::TextError& error) {
    throw error.at(where_is(request.texts, corpus, error.text()).value_or("a text"));
  }
  const std::vector<Result> results = run.results();
  metric::Baseline baseline;
  for (std::size_t layer = 0; layer < results.size(); ++layer) {
    const auto& scores = results[layer].scores;
    baseline.set(layer, {scores[0].second, scores[1].second, scores[2].second});
  }
  return baseline.text();
}

}  // namespace markeval::score
