// Two clouds of points through an engine made for them alone.
#pragma once

#include <span>
#include <vector>

#include "geometry/set_comparison.hpp"

namespace markeval::testing {

inline geometry::SetComparison compare_points(const geometry::Points& reference,
                                              const geometry::Points& evaluated,
                                              std::span<const geometry::BallRequest> requests,
                                              compute::Device& device, const RunContext& context,
                                              geometry::Method method = geometry::Method::automatic) {
  const auto engine = geometry::make_set_engine(device, method);
  return compare_sets(*engine, engine->add(reference, "reference set"),
                      engine->add(evaluated, "evaluated set"), requests, context);
}

}  // namespace markeval::testing
