// Set metrics on texts: lines become rows (one per sentence, or several per word) and rows become scores.
#pragma once

#include <span>
#include <vector>

#include "api/html_report.hpp"
#include "api/listener.hpp"
#include "api/markeval.hpp"
#include "api/text_inputs.hpp"
#include "embed/encoder_store.hpp"
#include "metric/registry.hpp"
#include "report/run_report.hpp"

namespace markeval {

/// By system, then by metric. References are encoded once for all systems and metrics that look at the same
/// rows, and at most one system's rows are held beside theirs. `explanations` may be null. Throws
/// Error(usage) for layers the model has not got, Error(invalid_input) where a corpus has too few rows.
std::vector<metric::MetricResult> score_set_texts(const ScoreRequest& request, const TextInputs& inputs,
                                                  std::span<const metric::MetricRequest> requests,
                                                  embed::EncoderStore& encoders, PageBuilder& page,
                                                  Listener& listener, const RunContext& context,
                                                  std::vector<report::ExplainedSets>* explanations);

}  // namespace markeval
