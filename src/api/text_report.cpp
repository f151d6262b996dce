// From what metrics found in texts, here or elsewhere, to the results of a report.
#include "api/gathered_scores.hpp"
#include "api/text_scoring.hpp"
#include "metric/bootstrap.hpp"

namespace markeval {
namespace {

using metric::MetricRequest;

/// Results by system and metric, with their names; `results` are by metric and system.
std::vector<Result> in_order(const std::vector<MetricRequest>& metrics, MeasuredTexts measured) {
  std::vector<Result> ordered;
  std::vector<std::vector<Result>>& results = measured.results;
  for (std::size_t system = 0; system < measured.system_names.size(); ++system) {
    for (std::size_t place = 0; place < metrics.size(); ++place) {
      if (results[place].empty()) continue;  // it failed
      Result& result = results[place][system];
      result.system = measured.system_names[system];
      result.metric = metrics[place].info->name;
      result.requested = metrics[place].text;
      if (metrics[place].info->kind != metric::Kind::lexical) sign_references(measured.references, result);
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

std::shared_ptr<Report::Data> score_texts(const ScoreRequest& request,
                                          const std::vector<MetricRequest>& metrics, Evaluator::State& state,
                                          PageBuilder& page, Listener& listener, const RunContext& context) {
  Failures failures(metrics, request.keep_finished);
  auto data = std::make_shared<Report::Data>();
  MeasuredTexts measured =
      request.gathered.empty()
          ? measure_texts(request, metrics, nullptr, state, page, listener, context, failures, *data)
          : measure_gathered(request, metrics, page, context, failures, *data);
  data->report.errors = failures.finish();
  data->report.results = in_order(metrics, std::move(measured));
  return data;
}

}  // namespace markeval
