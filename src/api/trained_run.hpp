// Metrics learned from human scores, read from the folders `markeval train` made. A user of
// embed/text_run.hpp: the pairs of a block go through the networks with the states the block already has.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "compute/products.hpp"
#include "embed/text_run.hpp"
#include "metric/registry.hpp"
#include "trained/model_folder.hpp"

namespace markeval {

/// The folders the requests name. Throws Error(usage) where one names none, Error(invalid_input) where it is
/// damaged.
std::vector<trained::TrainedModel> load_trained(std::span<const metric::MetricRequest> requests);

class TrainedRun final : public embed::TextUser {
 public:
  /// All but the models (one per request) and the identity must outlive it; `texts` are aligned. Throws
  /// Error(invalid_input) where a folder holds another kind of model, or one made for other vectors.
  TrainedRun(std::span<const metric::MetricRequest> requests, std::vector<trained::TrainedModel> models,
             const embed::RunTexts& texts, embed::VectorSource& source,
             const trained::EncoderIdentity& identity, const compute::Products& products, bool keep_segments,
             const RunContext& context);

  embed::EncodeRequest request() const override;
  void take(const embed::TextBlock& block) override;

  /// By system, then by request.
  std::vector<Result> results();

 private:
  /// The segments of one system and metric.
  struct Scores {
    std::vector<double> segments;
    std::uint64_t empty_candidates = 0, empty_references = 0;
  };
  void score(const embed::TextBlock& block, std::size_t model);

  std::span<const metric::MetricRequest> requests_;
  std::vector<trained::TrainedModel> models_;
  const embed::RunTexts& texts_;
  embed::VectorSource& source_;
  bool keep_segments_;
  const RunContext& context_;
  const compute::Products& products_;
  std::vector<Scores> scores_;  ///< by system, then by request
};

}  // namespace markeval
