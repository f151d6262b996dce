// Up to ten draws of both sets, and the mean and spread of their results.
#include "score/drawn_scores.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/lookup.hpp"
#include "meta/values.hpp"
#include "metric/bootstrap.hpp"
#include "score/drawn_units.hpp"

namespace markeval::score {
namespace {

constexpr std::uint64_t kMeanDrawStream = std::uint64_t{1} << 47;  ///< splits have the small numbers
constexpr std::size_t kMeanDraws = 10;

}  // namespace

std::vector<Result> score_draws(geometry::SetEngine& engine, const SampleSet& reference,
                                const SampleSet& evaluated, std::span<const Metric> requests,
                                std::size_t texts, metric::SetSettings settings, const RunContext& context) {
  for (const SampleSet* set : {&reference, &evaluated}) {
    if (set->units() < texts)
      throw_invalid(fmt::format("{} has {} texts or rows, but n is {}", set->name, set->units(), texts));
  }
  settings.explain = false;
  const bool whole = reference.units() == texts && evaluated.units() == texts;
  std::vector<std::vector<Result>> draws;
  for (std::size_t draw = 0; draw < (whole ? 1 : kMeanDraws); ++draw) {
    context.check_cancelled();
    const auto drawn = [&](const SampleSet& set) {
      return DrawnSet(engine, set, draw_units(set.units(), texts, settings.seed, kMeanDrawStream + draw),
                      set.name);
    };
    draws.push_back(
        metric::score_sets(engine, drawn(reference), drawn(evaluated), requests, settings, context).results);
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
    if (find_named(result.signature_parts, "seed") == nullptr)
      metric::add_to_signature(result, "seed", std::to_string(settings.seed));
  }
  return results;
}

}  // namespace markeval::score
