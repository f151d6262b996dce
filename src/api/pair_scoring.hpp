// The token vectors that loaded models and files of word vectors give to pair metrics.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "api/markeval.hpp"
#include "api/text_inputs.hpp"
#include "embed/encoder_store.hpp"
#include "embed/token_source.hpp"
#include "metric/score_pairs.hpp"
#include "report/html_score.hpp"

namespace markeval {

/// Loaded once, kept as long as the evaluator.
class TokenSources {
 public:
  /// `encoders` must outlive it.
  explicit TokenSources(embed::EncoderStore& encoders) : encoders_(encoders) {}

  /// The encoder of a model, by its name or folder. Throws what loading it throws.
  embed::TokenSource& encoder(const std::string& model, const std::string& precision, std::size_t max_length);
  embed::TokenSource& encoder(const embed::ModelState& model, const std::string& precision,
                              std::size_t max_length);
  /// Word vectors, of which only the words of `corpus` are kept.
  embed::TokenSource& words(const std::string& file, const metric::PairCorpus& corpus,
                            std::size_t max_length);

 private:
  embed::EncoderStore& encoders_;
  struct Source {
    std::shared_ptr<embed::TextEncoder> encoder;  ///< null: word vectors
    std::unique_ptr<embed::TokenSource> source;
  };
  std::map<std::string, Source> sources_;
};

/// All pair and trained metrics of a request on its texts, white space at both ends taken off: by system,
/// then by metric. `explanations` and `examples` may be null.
std::vector<metric::MetricResult> score_pair_texts(const ScoreRequest& request, const TextInputs& inputs,
                                                   std::span<const metric::MetricRequest> requests,
                                                   TokenSources& sources, const RunContext& context,
                                                   std::vector<metric::PairExplanation>* explanations,
                                                   std::vector<report::PairExamples>* examples = nullptr);

}  // namespace markeval
