#include "api/drawn_scores.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/drawn_units.hpp"
#include "base/error.hpp"
#include "meta/values.hpp"
#include "metric/bootstrap.hpp"

namespace markeval {
namespace {

constexpr std::uint64_t kMeanDrawStream = std::uint64_t{1} << 47;  ///< splits have the small numbers
constexpr std::size_t kMeanDraws = 10;

}  // namespace

std::vector<Result> score_draws(const metric::SampleSet& reference, const metric::SampleSet& evaluated,
                                std::span<const metric::MetricRequest> requests, std::size_t texts,
                                metric::SetSettings settings, compute::Device& device,
                                const RunContext& context) {
  for (const metric::SampleSet* set : {&reference, &evaluated}) {
    if (units_of(*set) < texts)
      throw_invalid(fmt::format("{} has {} texts or rows, but n is {}", set->name, units_of(*set), texts));
  }
  settings.explain = false;
  const bool whole = units_of(reference) == texts && units_of(evaluated) == texts;
  std::vector<std::vector<Result>> draws;
  DrawnUnits left, right;
  for (std::size_t draw = 0; draw < (whole ? 1 : kMeanDraws); ++draw) {
    context.check_cancelled();
    const auto drawn = [&](const metric::SampleSet& set, DrawnUnits& units) {
      return units.copy(set, draw_places(units_of(set), texts, settings.seed, kMeanDrawStream + draw), set.name);
    };
    draws.push_back(metric::score_sets(drawn(reference, left), drawn(evaluated, right), requests, settings,
                                       device, context)
                        .results);
  }
  std::vector<Result> results = std::move(draws.front());
  draws.front() = results;
  for (std::size_t m = 0; m < results.size(); ++m) {
    Result& result = results[m];
    std::vector<double> spreads(result.scores.size(), 0);
    for (std::size_t r = 0; !whole && r < result.scores.size(); ++r) {
      std::vector<double> values;
      for (const std::vector<Result>& draw : draws) values.push_back(draw[m].scores[r].second);
      const meta::MeanAndSpread found = meta::mean_and_spread(values);
      result.scores[r].second = found.mean;
      spreads[r] = found.spread;
    }
    result.details = {{"reference_rows", std::uint64_t{texts}},
                      {"system_rows", std::uint64_t{texts}},
                      {"draws", std::uint64_t{draws.size()}},
                      {"spreads", spreads}};
    metric::add_to_signature(result, "n", std::to_string(texts));
    metric::add_to_signature(result, "draws", std::to_string(draws.size()));
    const auto is_seed = [](const auto& part) { return part.first == "seed"; };
    if (std::none_of(result.signature_parts.begin(), result.signature_parts.end(), is_seed))
      metric::add_to_signature(result, "seed", std::to_string(settings.seed));
  }
  return results;
}

}  // namespace markeval
