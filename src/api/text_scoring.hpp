// Every kind of metric on the texts of a request, read once.
#pragma once

#include <memory>
#include <vector>

#include "api/evaluator_state.hpp"
#include "api/html_report.hpp"
#include "api/listener.hpp"
#include "api/report_data.hpp"
#include "metric/registry.hpp"

namespace markeval {

/// Results by system, then by metric, in the order asked for, whatever kinds the metrics are of.
std::shared_ptr<Report::Data> score_texts(const ScoreRequest& request,
                                          const std::vector<metric::MetricRequest>& metrics,
                                          Evaluator::State& state, PageBuilder& page, Listener& listener,
                                          const RunContext& context);

/// "nrefs:2" in front of the signature of a metric on vectors, nothing for one reference; 0: "nrefs:var".
void sign_references(std::size_t references, Result& result);

}  // namespace markeval
