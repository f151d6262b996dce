// From what metrics found in texts, here or elsewhere, to the results of a report.
#include "metric/bootstrap.hpp"
#include "score/text_scoring.hpp"

namespace markeval::score {
namespace {

/// Results by system and metric, with their names; `results` are by metric and system.
std::vector<Result> in_order(const std::vector<Metric>& metrics, MeasuredTexts measured) {
  std::vector<Result> ordered;
  std::vector<std::vector<Result>>& results = measured.results;
  for (std::size_t system = 0; system < measured.system_names.size(); ++system) {
    for (std::size_t which = 0; which < metrics.size(); ++which) {
      if (results[which].empty()) continue;  // it failed
      Result& result = results[which][system];
      result.system = measured.system_names[system];
      result.metric = metrics[which].info->name;
      result.requested = metrics[which].text;
      if (metrics[which].needs_vectors()) sign_references(measured.references, result);
      ordered.push_back(std::move(result));
    }
  }
  return ordered;
}

}  // namespace

void add_intervals_of_means(const ScoreRequest& request, const RunContext& context,
                            std::vector<Result>& results) {
  if (request.resamples == 0) return;
  metric::add_bootstrap_of_means({request.resamples, request.seed, request.keep_statistics}, context,
                                 results);
  if (request.segments || request.keep_statistics || request.page) return;
  for (Result& result : results) result.segments.clear();
}

void sign_references(std::size_t references, Result& result) {
  if (references == 1) return;
  result.signature_parts.insert(result.signature_parts.begin(),
                                {"nrefs", references == 0 ? "var" : std::to_string(references)});
}

MeasuredTexts measure_all_texts(const ScoreContext& run, Failures& failures, ScoreData& data) {
  return measure_texts(run, failures, data, nullptr);
}

std::shared_ptr<ScoreData> score_texts(const ScoreContext& run) {
  Failures failures(run.metrics, run.request.keep_finished);
  auto data = std::make_shared<ScoreData>();
  MeasuredTexts measured = run.measure(run, failures, *data);
  data->report.errors = failures.finish();
  data->report.results = in_order(run.metrics, std::move(measured));
  return data;
}

}  // namespace markeval::score
