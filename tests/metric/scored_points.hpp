// Set metrics on two clouds of points, by an engine made for them alone.
#pragma once

#include <span>
#include <string>

#include "metric/score_sets.hpp"

namespace markeval::metric {

struct NamedPoints {
  std::string name;
  geometry::Points points;
};

inline SetScores score_points(compute::Device& device, const NamedPoints& reference,
                              const NamedPoints& evaluated, std::span<const Metric> requests,
                              const SetSettings& settings, const RunContext& context) {
  const auto engine = geometry::make_set_engine(device);
  return score_sets(*engine, {reference.name, engine->add(reference.points, reference.name)},
                    {evaluated.name, engine->add(evaluated.points, evaluated.name)}, requests, settings,
                    context);
}

}  // namespace markeval::metric
