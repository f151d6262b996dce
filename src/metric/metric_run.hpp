// Metrics in a run: what they need of the texts, one block of texts after the other, then their results. The
// engine (src/score) knows no other shape of a metric on vectors of texts.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/result.hpp"
#include "base/run_context.hpp"
#include "compute/device.hpp"
#include "embed/text_run.hpp"

namespace markeval::metric {

/// Metrics that look at the same vectors. embed::TextUser has what they need, and take(block).
class MetricRun : public embed::TextUser {
 public:
  /// By system, then by metric. Throws where all of them fail.
  virtual std::vector<Result> results() = 0;
  /// After results(): by metric, what went wrong with it. Empty: nothing.
  virtual std::span<const std::optional<Error>> errors() const { return {}; }
  /// After results(), where asked for: systems and people at one size.
  virtual std::span<const Ceiling> ceilings() const { return {}; }
  /// Whether its rows are tokens; else a row is a text.
  virtual bool reads_words() const { return true; }
};

/// What a run gives its metrics. All of it must outlive them.
struct RunInputs {
  const embed::RunTexts& texts;  ///< aligned, one candidate a line
  std::span<const std::string> system_names;
  embed::VectorSource& source;
  compute::Device& device;
  const RunContext& context;
};

}  // namespace markeval::metric
