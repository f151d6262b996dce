// A source of vectors whose words are letters between blanks, and a run of one pair metric over it.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "metric/pair_run.hpp"

namespace markeval::metric {

/// No special tokens; every (layer, letter) has its vector, 'a' = 0.
class LetterSource : public embed::VectorSource {
 public:
  using Vectors = std::map<std::pair<std::size_t, std::int32_t>, std::vector<float>>;

  LetterSource(Vectors vectors, std::size_t last_layer)
      : vectors_(std::move(vectors)), last_layer_(last_layer) {}
  std::size_t last_layer() const override { return last_layer_; }
  std::size_t width() const override { return vectors_.begin()->second.size(); }
  std::size_t limit() override { return 64; }
  std::string model_name() const override { return "letters"; }
  std::vector<std::pair<std::string, std::string>> signature() override { return {}; }
  std::vector<embed::TokenIds> token_ids(std::span<const std::string_view> texts,
                                         const RunContext&) override {
    std::vector<embed::TokenIds> out;
    for (const std::string_view text : texts) out.emplace_back().ids = tokens(text).ids;
    return out;
  }
  embed::EncodedTexts encode(std::span<const std::string_view> texts, const embed::EncodeRequest& request,
                             const embed::TokenNeed&, const RunContext&) override {
    embed::EncodedTexts out(texts, request, width());
    for (std::size_t text = 0; text < out.distinct(); ++text)
      out.entry(text).tokens = tokens(out.written(text));
    out.allocate();
    for (std::size_t text = 0; text < out.distinct(); ++text) {
      const std::vector<std::int32_t>& ids = out.entry(text).tokens.ids;
      for (std::size_t index = 0; index < request.layers.size(); ++index) {
        for (std::size_t token = 0; token < ids.size(); ++token)
          std::ranges::copy(vectors_.at({request.layers[index], ids[token]}),
                            out.states(text, index).row(token).begin());
      }
    }
    return out;
  }

 private:
  static embed::TextTokens tokens(std::string_view text) {
    embed::TextTokens out;
    for (std::size_t at = 0; at < text.size(); at += 2) {
      out.ids.push_back(text[at] - 'a');
      out.facts.push_back({text.substr(at, 1), false, true});
      out.offsets.push_back({at, at + 1});
    }
    return out;
  }
  Vectors vectors_;
  std::size_t last_layer_;
};

/// `metric` over the pairs, with the scores of all segments.
inline Result letter_score(const std::string& metric, LetterSource source, const text::Corpus& references,
                           const text::Corpus& lines) {
  const embed::RunTexts texts{{&references, 1}, {&lines, 1}};
  const std::vector<std::string> names = {"sys"};
  const std::vector<Metric> requests = {Metric(metric)};
  ThreadPool pool(1);
  const auto device = compute::make_cpu_device(pool);
  const RunContext context{pool};
  PairSettings settings;
  settings.segments = true;
  PairRun run(requests, make_pair_metrics(requests), {texts, names, source, *device, context}, settings);
  embed::TextUser* const user = &run;
  embed::run_texts(source, texts, {&user, 1}, context);
  return run.results()[0];
}

}  // namespace markeval::metric
