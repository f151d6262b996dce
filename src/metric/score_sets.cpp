// K is made to fit the sets, one comparison serves all metrics, and each metric is scored from it.
#include "metric/score_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "base/lookup.hpp"
#include "base/version.hpp"

namespace markeval::metric {
namespace {

struct Prepared {
  std::unique_ptr<SetMetric> metric;
  std::optional<geometry::BallRequest> balls;  ///< k already clamped
  std::uint64_t requested_k = 0;
};

/// Two sets that are scored.
struct ScoredSets {
  const NamedSet& reference;
  const NamedSet& evaluated;
  std::size_t reference_rows, evaluated_rows;
};

// k has to be below the number of rows of both sets.
void fit_k(geometry::BallRequest& balls, const Metric& request, const ScoredSets& sets,
           const SetSettings& settings, const RunContext& context) {
  const bool fewer = sets.evaluated_rows < sets.reference_rows;
  const std::size_t rows = fewer ? sets.evaluated_rows : sets.reference_rows;
  const std::string& smaller = fewer ? sets.evaluated.name : sets.reference.name;
  if (balls.k < rows) return;
  if (rows < 2)
    throw_invalid(fmt::format("{}: {} has 1 row, expected at least 2", request.info->name, smaller));
  if (!settings.clamp_k) {
    throw_invalid(
        fmt::format("{}: k = {} needs more than {} rows, but {} has {}; a smaller k or --clamp-k helps",
                    request.info->name, balls.k, balls.k, smaller, rows));
  }
  context.warn(fmt::format("{}: k = {} shrinks to {}: {} has only {} rows", request.info->name, balls.k,
                           rows - 1, smaller, rows));
  balls.k = rows - 1;
}

Prepared prepare(const Metric& request, const ScoredSets& sets, const SetSettings& settings,
                 const RunContext& context) {
  Prepared prepared;
  prepared.metric = std::get<SetMetricFactory>(request.info->factory)(request.options);
  prepared.balls = prepared.metric->balls();
  if (prepared.balls) {
    prepared.requested_k = prepared.balls->k;
    fit_k(*prepared.balls, request, sets, settings, context);
  }
  return prepared;
}

SetExplanation explain(const Metric& request, const SetInputs& inputs, const RunContext& context) {
  const geometry::BallRequest& balls = inputs.counts->request;
  const geometry::SetComparison& comparison = *inputs.comparison;
  SetExplanation explanation;
  explanation.metric = request.text;
  explanation.request = balls;
  explanation.off_manifold =
      geometry::outside_points(*inputs.engine, inputs.reference, comparison.reference.squared_radii(balls.k),
                               inputs.evaluated, inputs.counts->reference_balls.covered, context);
  explanation.missing_modes =
      geometry::outside_points(*inputs.engine, inputs.evaluated, comparison.evaluated.squared_radii(balls.k),
                               inputs.reference, inputs.counts->evaluated_balls.covered, context);
  return explanation;
}

}  // namespace

SetScores score_sets(geometry::SetEngine& engine, const NamedSet& reference, const NamedSet& evaluated,
                     std::span<const Metric> requests, const SetSettings& settings,
                     const RunContext& context) {
  const ScoredSets sets{reference, evaluated, engine.rows(reference.id), engine.rows(evaluated.id)};
  const std::size_t columns = engine.columns(reference.id);
  if (columns != engine.columns(evaluated.id)) {
    throw_invalid(fmt::format("{} has {} columns but {} has {}, expected the same width", evaluated.name,
                              engine.columns(evaluated.id), reference.name, columns));
  }
  std::vector<Prepared> prepared;
  std::vector<geometry::BallRequest> balls;  // each once
  for (const Metric& request : requests) {
    prepared.push_back(prepare(request, sets, settings, context));
    const auto& wanted = prepared.back().balls;
    if (wanted) add_once(balls, *wanted);
  }
  std::optional<geometry::SetComparison> comparison;
  if (!balls.empty()) comparison = geometry::compare_sets(engine, reference.id, evaluated.id, balls, context);
  SetScores scores;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    SetInputs inputs{.engine = &engine,
                     .reference = reference.id,
                     .evaluated = evaluated.id,
                     .reference_rows = sets.reference_rows,
                     .evaluated_rows = sets.evaluated_rows,
                     .columns = columns,
                     .reference_name = reference.name,
                     .evaluated_name = evaluated.name,
                     .seed = settings.seed,
                     .segment = false,
                     .comparison = nullptr,
                     .counts = nullptr};
    const SetTerms terms{.samples = settings.samples,
                         .scope = "corpus",
                         .multi = "",
                         .seed = settings.seed,
                         .k = prepared[i].balls ? prepared[i].balls->k : 0,
                         .requested_k = prepared[i].requested_k};
    if (prepared[i].balls) {
      inputs.comparison = &*comparison;
      inputs.counts = &*std::ranges::find_if(
          comparison->counts, [&](const auto& counts) { return counts.request == *prepared[i].balls; });
      if (settings.explain) scores.explanations.push_back(explain(requests[i], inputs, context));
    }
    Result result;
    result.metric = requests[i].info->name;
    result.requested = requests[i].text;
    prepared[i].metric->score(inputs, context, result);
    result.signature_parts = prepared[i].metric->signature(terms);
    for (const auto& part : settings.input_signature) result.signature_parts.push_back(part);
    result.signature_parts.emplace_back("version", version());
    scores.results.push_back(std::move(result));
  }
  return scores;
}

}  // namespace markeval::metric
