#include "metric/score_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "base/version.hpp"

namespace markeval::metric {
namespace {

struct Prepared {
  std::unique_ptr<SetMetric> metric;
  std::optional<geometry::BallRequest> balls;  ///< k already clamped
  std::uint64_t requested_k = 0;
};

// k has to be below the number of rows of both sets.
void fit_k(geometry::BallRequest& balls, const MetricRequest& request, const SampleSet& reference,
           const SampleSet& evaluated, const SetSettings& settings, const RunContext& context) {
  const SampleSet& smaller = evaluated.points.rows() < reference.points.rows() ? evaluated : reference;
  const std::size_t rows = smaller.points.rows();
  if (balls.k < rows) return;
  if (rows < 2)
    throw_invalid(fmt::format("{}: {} has 1 row, expected at least 2", request.info->name, smaller.name));
  if (!settings.clamp_k) {
    throw_invalid(
        fmt::format("{}: k = {} needs more than {} rows, but {} has {}; a smaller k or --clamp-k helps",
                    request.info->name, balls.k, balls.k, smaller.name, rows));
  }
  context.warn(fmt::format("{}: k = {} shrinks to {}: {} has only {} rows", request.info->name, balls.k,
                           rows - 1, smaller.name, rows));
  balls.k = rows - 1;
}

Prepared prepare(const MetricRequest& request, const SampleSet& reference, const SampleSet& evaluated,
                 const SetSettings& settings, const RunContext& context) {
  Prepared prepared;
  prepared.metric = std::get<SetMetricFactory>(request.info->factory)(request.options);
  prepared.balls = prepared.metric->balls();
  if (prepared.balls) {
    prepared.requested_k = prepared.balls->k;
    fit_k(*prepared.balls, request, reference, evaluated, settings, context);
  }
  return prepared;
}

std::vector<double> squared_radii(const geometry::NeighbourLists& neighbours, std::size_t k) {
  std::vector<double> radii(neighbours.rows());
  for (std::size_t row = 0; row < radii.size(); ++row) radii[row] = neighbours.squared_radius(row, k);
  return radii;
}

SetExplanation explain(const MetricRequest& request, const SetInputs& inputs, compute::Device& device,
                       const RunContext& context) {
  const geometry::BallRequest& balls = inputs.counts->request;
  SetExplanation explanation;
  explanation.metric = request.text;
  explanation.request = balls;
  explanation.off_manifold =
      geometry::outside_points(inputs.reference, squared_radii(inputs.comparison->reference, balls.k),
                               inputs.evaluated, inputs.counts->reference_balls.covered, device, context);
  explanation.missing_modes =
      geometry::outside_points(inputs.evaluated, squared_radii(inputs.comparison->evaluated, balls.k),
                               inputs.reference, inputs.counts->evaluated_balls.covered, device, context);
  return explanation;
}

}  // namespace

SetScores score_sets(const SampleSet& reference, const SampleSet& evaluated,
                     std::span<const MetricRequest> requests, const SetSettings& settings,
                     compute::Device& device, const RunContext& context,
                     geometry::KnownNeighbours* of_reference) {
  if (reference.points.columns() != evaluated.points.columns()) {
    throw_invalid(fmt::format("{} has {} columns but {} has {}, expected the same width", evaluated.name,
                              evaluated.points.columns(), reference.name, reference.points.columns()));
  }
  std::vector<Prepared> prepared;
  std::vector<geometry::BallRequest> balls;  // each once
  for (const MetricRequest& request : requests) {
    prepared.push_back(prepare(request, reference, evaluated, settings, context));
    const auto& wanted = prepared.back().balls;
    if (wanted && std::find(balls.begin(), balls.end(), *wanted) == balls.end()) balls.push_back(*wanted);
  }
  std::optional<geometry::SetComparison> comparison;
  if (!balls.empty()) {
    comparison = geometry::compare_sets(reference.points, evaluated.points, balls, device, context,
                                        geometry::Method::automatic, of_reference);
  }
  SetScores scores;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    SetInputs inputs{.reference = reference.points,
                     .evaluated = evaluated.points,
                     .products = device.products(),
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
      inputs.counts =
          &*std::find_if(comparison->counts.begin(), comparison->counts.end(),
                         [&](const auto& counts) { return counts.request == *prepared[i].balls; });
      if (settings.explain) scores.explanations.push_back(explain(requests[i], inputs, device, context));
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
