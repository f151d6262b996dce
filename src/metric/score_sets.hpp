// All set metrics asked for, on one pair of sets: neighbours and ball counts are found once, for every k and
// both kinds of ball, and every metric is given what it asked for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/run_context.hpp"
#include "geometry/set_comparison.hpp"
#include "metric/registry.hpp"

namespace markeval::metric {

/// A set of the run's engine.
struct NamedSet {
  std::string name;  ///< for messages: a path
  geometry::SetId id;
};

struct SetSettings {
  bool clamp_k = false;  ///< k shrinks to what the smaller set allows, with a warning
  std::uint64_t seed = 12345;
  std::string samples = "rows";        ///< what a row is: rows, sentence, word
  Named<std::string> input_signature;  ///< input -> vectors, or the parts that name the model
  bool explain = false;
};

/// The rows outside all balls of the other set, farthest outside first.
struct SetExplanation {
  std::string metric;  ///< as the user wrote it
  std::string system;
  geometry::BallRequest request;
  std::vector<geometry::OutsidePoint> off_manifold;   ///< rows of the evaluated set inside no reference ball
  std::vector<geometry::OutsidePoint> missing_modes;  ///< rows of the reference inside no evaluated ball
};

struct SetScores {
  std::vector<Result> results;               ///< one per request, in order
  std::vector<SetExplanation> explanations;  ///< one per request that counts in balls, where asked for
};

/// All requests must be for set metrics. Throws Error(invalid_input) where the widths differ or a set has too
/// few rows, naming sets and counts.
SetScores score_sets(geometry::SetEngine& engine, const NamedSet& reference, const NamedSet& evaluated,
                     std::span<const Metric> requests, const SetSettings& settings,
                     const RunContext& context);

}  // namespace markeval::metric
