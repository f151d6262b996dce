// One request from its words to the numbers of a report.
#include "score/engine.hpp"

#include <optional>

#include "base/cancellation.hpp"
#include "request/input_kind.hpp"
#include "request/requested_metrics.hpp"
#include "score/blend_run.hpp"
#include "score/groups.hpp"
#include "score/segment_column.hpp"
#include "score/vector_scoring.hpp"

namespace markeval::score {

std::shared_ptr<ScoreData> score_request(const ScoreRequest& request, const Caller& caller,
                                         const Measure& measure) {
  const auto& [runtime, observer, cancel] = caller;
  const std::vector<Metric> metrics = request::requested_metrics(request);
  if (request.references.empty()) throw_usage("no reference given");
  if (request.systems.empty()) throw_usage("no system given");
  require_inputs_once(request);
  const request::InputKind kind = request::input_kind(request, metrics);
  request::check_set_options(metrics, kind, request);
  Listener listener(observer);
  const CancelScope stoppable(cancel);
  const RunContext context{runtime.pool, &listener, &listener};
  PageBuilder page(request);
  std::optional<Groups> groups;
  if (wants_groups(request)) groups = read_groups(request);
  const ScoreRequest& scored = groups ? with_parts(request) : request;
  if (groups)
    request::require_resampling_budget(metrics, scored, request.keep_statistics ? groups->names.size() : 0);
  const ScoreContext run{scored, metrics, runtime, page, listener, context, measure};
  const auto data = kind != request::InputKind::vectors ? score_texts_and_blends(run) : score_vectors(run);
  const FinishScope finishing;  // what is done by now becomes a report, also where the rest was stopped
  if (groups)
    data->report.grouped =
        score_groups(*groups, metrics, request, {runtime.pool, &listener, &listener}, data->report.results);
  data->report.warnings = listener.take_warnings();
  if (!request.keep_statistics)
    request::drop_unwanted(metrics, data->report.results);  // a comparison needs their places
  for (report::GroupScores& group : data->report.grouped.groups) {
    if (!request.keep_statistics) request::drop_unwanted(metrics, group.results);
  }
  for (const report::ExplainedSets& one : data->set_explanations) {
    auto& clusters = data->report.clusters;
    if (clusters.empty() || clusters.back().first != one.system)
      clusters.emplace_back(one.system, one.clusters);
  }
  page.finish(*data);
  return data;
}

}  // namespace markeval::score
