// Set metrics: one number for a whole set of generated rows held against a set of reference rows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/run_context.hpp"
#include "geometry/set_comparison.hpp"
#include "metric/options.hpp"

namespace markeval::metric {

/// Everything a set metric may look at, prepared by score_sets or SegmentRun.
struct SetInputs {
  geometry::SetEngine* engine = nullptr;  ///< none for words of one line where the metric asks for balls
  geometry::SetId reference{}, evaluated{};
  std::size_t reference_rows = 0, evaluated_rows = 0, columns = 0;
  std::string_view reference_name;  ///< for messages: a path
  std::string_view evaluated_name;
  std::uint64_t seed = 0;
  /// The sets are the words of one line: being small is no error.
  bool segment = false;
  /// Where the metric asked for balls: all neighbours, and the counts that answer its request.
  const geometry::SetComparison* comparison = nullptr;
  const geometry::CrossCounts* counts = nullptr;

  std::uint64_t population() const { return reference_rows + evaluated_rows; }
};

/// What a signature says besides the metric's own options.
struct SetTerms {
  std::string samples = "rows";  ///< what a row is: rows, sentence, word
  std::string scope = "corpus";  ///< or segment
  std::string multi;             ///< how several references of a segment are joined
  std::uint64_t seed = 0;
  std::uint64_t k = 0;            ///< only for metrics that count in balls
  std::uint64_t requested_k = 0;  ///< larger than k where --clamp-k shrank it
};

class SetMetric {
 public:
  virtual ~SetMetric() = default;
  /// The balls the metric counts in, if it does: one pass over the neighbours serves all metrics of a run.
  virtual std::optional<geometry::BallRequest> balls() const { return std::nullopt; }
  /// Fills scores and details. Throws Error(invalid_input) where the sets are too small.
  virtual void score(const SetInputs& inputs, const RunContext& context, Result& result) const = 0;
  virtual Named<std::string> signature(const SetTerms& terms) const = 0;
  /// Whether a set of one row has a score; elsewhere a segment of fewer than two rows scores 0.
  virtual bool takes_one_row() const { return false; }
};

using SetMetricFactory = std::unique_ptr<SetMetric> (*)(const OptionValues&);

/// k (and k_asked where it was clamped), samples, scope (and multi) and ball, in this order.
Named<std::string> ball_signature(const SetTerms& terms, geometry::Ball ball);
/// samples, scope (and multi).
void add_terms(const SetTerms& terms, Named<std::string>& signature);
/// What a user needs to trust counts: radii, duplicates, how many pairs were decided in double.
void add_ball_details(const SetInputs& inputs, Result& result);

/// The options of a metric: its own, and those of all set metrics.
std::vector<OptionSpec> set_options(std::vector<OptionSpec> own);
OptionSpec k_option(std::uint64_t default_value);
OptionSpec ball_option();

}  // namespace markeval::metric
