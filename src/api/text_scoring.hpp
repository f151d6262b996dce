// Every kind of metric on the texts of a request, read once.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "api/evaluator_state.hpp"
#include "api/failures.hpp"
#include "api/html_report.hpp"
#include "api/listener.hpp"
#include "api/report_data.hpp"
#include "metric/idf.hpp"
#include "metric/registry.hpp"

namespace markeval {

/// Of texts that are only a part of a corpus: what other processes have made for it.
struct PartSettings {
  const metric::IdfTable* reference_idf = nullptr;  ///< of all parts; null: no metric needs it
  std::span<const metric::IdfTable> system_idf{};
  cache::VectorCache* vectors = nullptr;
};

/// What metrics found in texts, before it becomes a report.
struct MeasuredTexts {
  /// By metric, then by system, without names; none where one failed.
  std::vector<std::vector<Result>> results;
  std::vector<std::string> system_names;
  std::size_t segments = 0;    ///< of the first reference
  std::size_t references = 0;  ///< of each segment; 0: their number varies
};

/// `part`: null where the texts are all there are. Of a part there are segment scores or statistics whoever
/// asked for them, and no intervals but those of set metrics.
MeasuredTexts measure_texts(const ScoreRequest& request, const std::vector<metric::MetricRequest>& metrics,
                            const PartSettings* part, Evaluator::State& state, PageBuilder& page,
                            Listener& listener, const RunContext& context, Failures& failures,
                            Report::Data& data);

/// Results by system, then by metric, in the order asked for, whatever kinds the metrics are of.
std::shared_ptr<Report::Data> score_texts(const ScoreRequest& request,
                                          const std::vector<metric::MetricRequest>& metrics,
                                          Evaluator::State& state, PageBuilder& page, Listener& listener,
                                          const RunContext& context);

/// Of results that are means of their segments; the segment scores are dropped where nobody asked for them.
void add_intervals_of_means(const ScoreRequest& request, const RunContext& context,
                            std::vector<Result>& results);

/// "nrefs:2" in front of the signature of a metric on vectors, nothing for one reference; 0: "nrefs:var".
void sign_references(std::size_t references, Result& result);

}  // namespace markeval
