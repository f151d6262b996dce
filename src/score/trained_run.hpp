// Metrics learned from human scores, read from the folders `markeval train` made. A user of
// embed/text_run.hpp: the pairs of a block go through the networks with the states the block already has.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compute/products.hpp"
#include "metric/metric_run.hpp"
#include "metric/registry.hpp"
#include "trained/model_folder.hpp"

namespace markeval::score {

/// The folders the requests name. Throws Error(usage) where one names none, Error(invalid_input) where it is
/// damaged.
std::vector<trained::TrainedModel> load_trained(std::span<const Metric> requests);

class TrainedRun final : public metric::MetricRun {
 public:
  /// The requests must outlive it; one model for each. Throws Error(invalid_input) where a folder holds
  /// another kind of model, or one made for other vectors.
  TrainedRun(std::span<const Metric> requests, std::vector<trained::TrainedModel> models,
             const trained::EncoderIdentity& identity, const metric::RunInputs& inputs, bool keep_segments);

  embed::EncodeRequest request() const override;
  void take(const embed::TextBlock& block) override;

  std::vector<Result> results() override;

 private:
  /// The segments of one system and metric.
  struct Scores {
    std::vector<double> segments;
    std::uint64_t empty_candidates = 0, empty_references = 0;
  };
  void score(const embed::TextBlock& block, std::size_t model);

  std::span<const Metric> requests_;
  std::vector<trained::TrainedModel> models_;
  const embed::RunTexts& texts_;
  embed::VectorSource& source_;
  bool keep_segments_;
  const RunContext& context_;
  const compute::Products& products_;
  std::vector<Scores> scores_;  ///< by system, then by request
};

}  // namespace markeval::score
