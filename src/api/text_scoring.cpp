#include "api/text_scoring.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/language_check.hpp"
#include "api/requested_metrics.hpp"
#include "api/set_scoring.hpp"
#include "api/text_inputs.hpp"
#include "models/store.hpp"
#include "encoder/not_finite.hpp"
#include "metric/bootstrap.hpp"

namespace markeval {
namespace {

using metric::Kind;
using metric::MetricRequest;
using metric::MetricResult;

/// The metrics that are scored together and their places among all of the request.
struct Group {
  std::vector<MetricRequest> requests;
  std::vector<std::size_t> places;
};

Group group_of(std::initializer_list<Kind> kinds, const std::vector<MetricRequest>& metrics) {
  Group group;
  for (std::size_t place = 0; place < metrics.size(); ++place) {
    if (std::find(kinds.begin(), kinds.end(), metrics[place].info->kind) == kinds.end()) continue;
    group.requests.push_back(metrics[place]);
    group.places.push_back(place);
  }
  return group;
}

/// Of results that are means of their segments; the segment scores are dropped where nobody asked for them.
void add_intervals_of_means(const ScoreRequest& request, const RunContext& context,
                            std::vector<MetricResult>& results) {
  metric::add_bootstrap_of_means({request.resamples, request.seed, request.keep_statistics}, context,
                                 results);
  if (request.segments || request.keep_statistics || request.page) return;
  for (MetricResult& result : results) result.segments.clear();
}

/// Whether the encoder gave the metric its vectors, not a file of word vectors.
bool reads_encoder(const MetricRequest& metric) {
  if (metric.info->kind != Kind::pair) return metric.info->kind != Kind::lexical;
  return std::get<metric::PairMetricFactory>(metric.info->factory)(metric.options)->embeddings().empty();
}

/// Whether a token of any text may have been unknown to the encoder; trained metrics do not tell.
bool met_unknown_tokens(const std::vector<MetricRequest>& metrics,
                        const std::vector<std::vector<MetricResult>>& results) {
  for (std::size_t place = 0; place < metrics.size(); ++place) {
    if (!reads_encoder(metrics[place])) continue;
    if (metrics[place].info->kind == Kind::trained) return true;
    for (const MetricResult& result : results[place]) {
      for (const auto& [name, value] : result.details) {
        const auto* count = std::get_if<std::uint64_t>(&value);
        if (name == "unknown_tokens" && count != nullptr && *count > 0) return true;
      }
    }
  }
  return false;
}

}  // namespace

void sign_references(std::size_t references, MetricResult& result) {
  if (references == 1) return;
  result.signature.insert(result.signature.begin(),
                          {"nrefs", references == 0 ? "var" : std::to_string(references)});
}

void keep_result(MetricResult result, Report::Data& data) {
  Result kept{result.system,
              result.metric,
              result.requested,
              result.scores,
              result.details,
              result.segments,
              {},
              metric::signature_text(result),
              0,
              {},
              {}};
  for (const auto& [name, interval] : result.intervals)
    kept.intervals.push_back({name, {interval.low, interval.high}});
  if (result.statistics) {
    kept.statistics_columns = result.statistics->segments.columns;
    kept.statistics = result.statistics->segments.values;
  }
  for (std::size_t index = 0; index < result.resampled.scores.size(); ++index) {
    auto& scores = kept.resampled.emplace_back(result.scores[index].first, std::vector<double>()).second;
    for (const lexical::PythonNumber number : result.resampled.scores[index]) scores.push_back(number.value);
  }
  data.results.push_back(std::move(kept));
  data.report.results.push_back(std::move(result));
}

std::shared_ptr<Report::Data> score_texts(const ScoreRequest& request,
                                          const std::vector<MetricRequest>& metrics, Evaluator::State& state,
                                          PageBuilder& page, Listener& listener, const RunContext& context) {
  const Group lexical = group_of({Kind::lexical}, metrics);
  const Group pair = group_of({Kind::pair, Kind::trained}, metrics);
  const Group set = group_of({Kind::set}, metrics);
  std::vector<std::shared_ptr<const metric::LexicalMetric>>
      counters;  // made first: options are wrong before files are
  for (const MetricRequest& one : lexical.requests) {
    counters.push_back(std::get<metric::LexicalMetricFactory>(one.info->factory)(one.options));
    if (const std::string note = counters.back()->note(); !note.empty()) context.warn(note);
  }
  if (request.windows && !pair.requests.empty()) {
    context.warn(fmt::format("{}: texts longer than the model takes are cut; windows are for set metrics",
                             pair.requests.front().info->name));
  }
  const bool aligned = std::any_of(metrics.begin(), metrics.end(), scores_segments);
  const TextInputs inputs = load_texts(request, aligned, context);
  page.add_inputs(inputs);
  warn_of_unread_letters(inputs, lexical.requests, counters, context);
  const std::size_t systems = inputs.system_names.size();
  auto data = std::make_shared<Report::Data>();
  std::vector<std::vector<MetricResult>> results(metrics.size());  // by metric, then by system

  for (std::size_t index = 0; index < lexical.requests.size(); ++index) {
    context.check_cancelled();
    results[lexical.places[index]] =
        metric::score_texts(counters[index], lexical.requests[index].info->results, inputs.corpus,
                            {request.segments || request.keep_statistics || page.wanted(), request.resamples,
                             request.seed, request.keep_statistics},
                            context);
  }
  const auto take = [&](std::vector<MetricResult> found, const Group& group) {  // by system, then by metric
    for (std::size_t index = 0; index < found.size(); ++index) {
      results[group.places[index % group.places.size()]].push_back(std::move(found[index]));
    }
  };
  try {
    if (!pair.requests.empty()) {
      std::vector<report::PairExamples> examples;
      take(score_pair_texts(request, inputs, pair.requests, state.sources, context,
                            request.explain ? &data->pair_explanations : nullptr,
                            page.wanted() ? &examples : nullptr),
           pair);
      page.set_examples(std::move(examples));
    }
    if (!set.requests.empty()) {
      take(score_set_texts(request, inputs, set.requests, state.encoders, page, listener, context,
                           request.explain ? &data->set_explanations : nullptr),
           set);
    }
  } catch (const encoder::NotFinite& error) {
    throw error.at(place_of_text(request, inputs, error.text()));
  }
  if (std::any_of(metrics.begin(), metrics.end(), reads_encoder)) {
    warn_of_unread_tokens(inputs,
                          models::find_model(request.model.empty() ? models::kDefaultModel : request.model),
                          met_unknown_tokens(metrics, results), context);
  }
  for (std::size_t place = 0; request.resamples > 0 && place < metrics.size(); ++place) {
    if (metrics[place].info->kind == Kind::lexical) continue;  // has them already, from its statistics
    if (scores_segments(metrics[place])) add_intervals_of_means(request, context, results[place]);
  }
  const std::size_t references = reference_count(inputs.references);
  for (std::size_t system = 0; system < systems; ++system) {
    for (std::size_t place = 0; place < metrics.size(); ++place) {
      MetricResult& result = results[place][system];
      result.system = inputs.system_names[system];
      result.metric = metrics[place].info->name;
      result.requested = metrics[place].text;
      if (metrics[place].info->kind != Kind::lexical) sign_references(references, result);
      keep_result(std::move(result), *data);
    }
  }
  return data;
}

}  // namespace markeval
