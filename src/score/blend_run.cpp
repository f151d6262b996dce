// Blends are replaced by their parts before scoring, and their segment scores are summed afterwards.
#include "score/blend_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/lookup.hpp"
#include "base/version.hpp"
#include "metric/bootstrap.hpp"
#include "request/lookup.hpp"
#include "score/failures.hpp"
#include "trained/blend.hpp"

namespace markeval::score {
namespace {

bool is_blend(const Metric& request) {
  return request.info->is(metric::Learned::blend);
}

/// Throws what went wrong with a metric of the run, where something did.
void throw_failure_of(const std::vector<FailedMetric>& errors, const std::string& asked,
                      const std::string& where) {
  for (const FailedMetric& error : errors) {
    if (error.requested == asked)
      throw Error(error.cancelled ? ErrorCode::cancelled : ErrorCode::invalid_input, where + error.reason);
  }
}

struct NumberedBlend {
  Metric request;
  std::string folder;
  trained::Blend blend;
  std::vector<std::string> parts;  ///< what their results are called by
};

/// The metrics to score instead, and the blends to make of them.
struct BlendPlans {
  std::vector<Metric> scored;
  std::vector<NumberedBlend> blends;

  explicit BlendPlans(const std::vector<Metric>& metrics) {
    for (const Metric& one : metrics) {
      if (!is_blend(one)) scored.push_back(one);
    }
    for (const Metric& one : metrics) {
      if (is_blend(one)) add(one);
    }
  }

 private:
  void add(const Metric& request) {
    const std::string& folder = request.options.text("weights");
    if (folder.empty()) {
      throw_usage(fmt::format("{} needs a folder made by markeval train --arch blend: blend:weights=FOLDER",
                              request.text));
    }
    NumberedBlend blend{request, folder, trained::read_blend(folder), {}};
    for (const trained::BlendPart& part : blend.blend.parts) {
      if (is_blend(part.metric)) throw_invalid(folder + ": a blend cannot be a part of a blend");
      blend.parts.push_back(part.metric.text);
      const bool known =
          std::ranges::any_of(scored, [&](const Metric& one) { return one.text == part.metric.text; });
      if (!known) scored.push_back(part.metric);
    }
    blends.push_back(std::move(blend));
  }
};

/// Scores of one part by segment, of the same kind as those the blend was learned with.
const std::vector<double>& segments_of(const NumberedBlend& blend, const trained::BlendPart& part,
                                       const Result& result) {
  const std::string found = trained::comparable_signature(result.signature());
  if (found != part.signature) {
    throw_invalid(
        fmt::format("{} was learned with {}, but this run has {}: expected the same model and settings",
                    blend.folder, part.signature, found));
  }
  if (const auto* values = find_named(result.segments, part.result)) return *values;
  throw_invalid(fmt::format("{}: {} has no result '{}'", blend.folder, part.metric.typed, part.result));
}

Result blended(const NumberedBlend& blend, const std::string& system, const std::vector<Result>& results) {
  Result result;
  result.system = system;
  result.metric = blend.request.info->name;
  result.requested = blend.request.text;
  std::vector<const std::vector<double>*> values;
  std::string weights;
  for (std::size_t i = 0; i < blend.parts.size(); ++i) {
    const trained::BlendPart& part = blend.blend.parts[i];
    values.push_back(&segments_of(blend, part, request::find_result(results, system, blend.parts[i])));
    weights +=
        fmt::format("{}{:.3g}*{}", i > 0 && !(part.weight < 0) ? "+" : "", part.weight, part.metric.typed);
  }
  std::vector<double> segments(values.front()->size()), one(values.size());
  double sum = 0;
  for (std::size_t segment = 0; segment < segments.size(); ++segment) {
    for (std::size_t i = 0; i < values.size(); ++i) one[i] = (*values[i])[segment];
    sum += segments[segment] = blend.blend.score(one);
  }
  result.scores = {{"score", segments.empty() ? 0 : sum / static_cast<double>(segments.size())}};
  result.details = {{"segments", std::uint64_t{segments.size()}}};
  result.segments = {{"score", std::move(segments)}};
  result.signature_parts = {
      {"parts", weights}, {"weights", blend.blend.hash.substr(0, 8)}, {"version", std::string(version())}};
  return result;
}

}  // namespace

std::vector<Metric> metrics_to_score(const std::vector<Metric>& metrics) {
  return BlendPlans(metrics).scored;
}

std::shared_ptr<ScoreData> score_texts_and_blends(const ScoreContext& run) {
  const std::vector<Metric>& metrics = run.metrics;
  if (std::ranges::none_of(metrics, is_blend)) return score_texts(run);
  const BlendPlans plans(metrics);
  const ScoreRequest& request = run.request;
  ScoreRequest with_segments = request;
  with_segments.segments = true;
  auto data = score_texts(
      {with_segments, plans.scored, run.runtime, run.page, run.listener, run.context, run.measure});
  const std::vector<Result> scored = std::move(data->report.results);
  std::vector<std::string> systems;
  for (const Result& one : scored) {
    if (systems.empty() || systems.back() != one.system) systems.push_back(one.system);
  }
  Failures failures(metrics, request.keep_finished);
  std::vector<std::vector<Result>> results(metrics.size());  // by metric, then by system
  for (std::size_t which = 0; which < metrics.size(); ++which) {
    const Metric& one = metrics[which];
    const auto blend = std::ranges::find_if(
        plans.blends, [&](const NumberedBlend& plan) { return plan.request.text == one.text; });
    failures.attempt(which, [&] {
      if (blend == plans.blends.end()) {
        throw_failure_of(data->report.errors, one.text, "");
        for (const std::string& system : systems)
          results[which].push_back(request::find_result(scored, system, one.text));
        return;
      }
      for (const std::string& part : blend->parts)
        throw_failure_of(data->report.errors, part, fmt::format("its part {}: ", part));
      for (const std::string& system : systems) results[which].push_back(blended(*blend, system, scored));
      if (request.resamples == 0) return;
      metric::add_bootstrap_of_means({request.resamples, request.seed, request.keep_statistics}, run.context,
                                     results[which]);
    });
  }
  data->report.errors = failures.finish();
  data->report.results.clear();
  for (std::size_t system = 0; system < systems.size(); ++system) {
    for (std::vector<Result>& of_metric : results) {
      if (of_metric.empty()) continue;  // it failed
      Result& result = data->report.results.emplace_back(std::move(of_metric[system]));
      if (!request.segments && !request.keep_statistics && !request.page) result.segments.clear();
    }
  }
  return data;
}

}  // namespace markeval::score
