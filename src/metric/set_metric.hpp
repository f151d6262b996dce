// Set metrics: one number for a whole set of generated rows held against a set of reference rows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/run_context.hpp"
#include "geometry/set_comparison.hpp"
#include "metric/options.hpp"
#include "metric/result.hpp"

namespace markeval::metric {

/// Everything a set metric may look at, prepared by score_sets.
struct SetInputs {
  geometry::Points reference;
  geometry::Points evaluated;
  std::string reference_name;  ///< for messages: a path
  std::string evaluated_name;
  std::string samples;  ///< what a row is, for the signature: rows, sentence, word
  std::string scope;    ///< corpus, segment
  std::uint64_t seed = 0;
  /// Where the metric asked for balls: all neighbours, and the counts that answer its request.
  const geometry::SetComparison* comparison = nullptr;
  const geometry::SetComparison::Counts* counts = nullptr;
  std::uint64_t requested_k = 0;  ///< larger than counts->request.k where --clamp-k shrank it

  std::uint64_t population() const { return reference.rows() + evaluated.rows(); }
};

class SetMetric {
 public:
  virtual ~SetMetric() = default;
  /// The balls the metric counts in, if it does: one pass over the neighbours serves all metrics of a run.
  virtual std::optional<geometry::BallRequest> balls() const { return std::nullopt; }
  /// Fills scores, details and signature. Throws Error(invalid_input) where the sets are too small.
  virtual void score(const SetInputs& inputs, const RunContext& context, MetricResult& result) const = 0;
};

using SetMetricFactory = std::unique_ptr<SetMetric> (*)(const OptionValues&);

/// k (and k_asked where it was clamped), samples, scope and ball, in this order.
void add_ball_signature(const SetInputs& inputs, MetricResult& result);
/// What a user needs to trust counts: radii, duplicates, how many pairs were decided in double.
void add_ball_details(const SetInputs& inputs, MetricResult& result);

std::unique_ptr<SetMetric> make_mark_evaluate(const OptionValues& options);
std::unique_ptr<SetMetric> make_impar(const OptionValues& options);
std::unique_ptr<SetMetric> make_prdc(const OptionValues& options);
std::unique_ptr<SetMetric> make_prd(const OptionValues& options);
std::unique_ptr<SetMetric> make_fid(const OptionValues& options);

}  // namespace markeval::metric
