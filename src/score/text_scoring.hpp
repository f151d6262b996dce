// Every kind of metric on the texts of a request, read once.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "metric/idf.hpp"
#include "metric/registry.hpp"
#include "score/failures.hpp"
#include "score/html_report.hpp"
#include "score/listener.hpp"
#include "score/report_data.hpp"
#include "score/runtime.hpp"

namespace markeval::score {

/// Results of other processes for texts that are only a part of a corpus.
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

struct ScoreContext;

/// How the numbers of a request are found: in its texts, or in what other processes found in parts of them.
using Measure = std::function<MeasuredTexts(const ScoreContext& run, Failures& failures, ScoreData& data)>;

/// What the metrics of a run share. All must outlive it.
struct ScoreContext {
  const ScoreRequest& request;
  const std::vector<Metric>& metrics;
  Runtime& runtime;
  PageBuilder& page;
  Listener& listener;
  const RunContext& context;
  const Measure& measure;
};

/// `part`: null where the texts are all there are. Of a part there are segment scores or statistics whoever
/// asked for them, and no intervals but those of set metrics.
MeasuredTexts measure_texts(const ScoreContext& run, Failures& failures, ScoreData& data,
                            const PartSettings* part);
/// Where the texts are all there are.
MeasuredTexts measure_all_texts(const ScoreContext& run, Failures& failures, ScoreData& data);

/// Results by system, then by metric, in the order asked for, whatever kinds the metrics are of.
std::shared_ptr<ScoreData> score_texts(const ScoreContext& run);

/// Adds intervals of results that are means of segments; drops segment scores that were not asked for.
void add_intervals_of_means(const ScoreRequest& request, const RunContext& context,
                            std::vector<Result>& results);

/// "nrefs:2" in front of the signature of a metric on vectors, nothing for one reference; 0: "nrefs:var".
void sign_references(std::size_t references, Result& result);

}  // namespace markeval::score
