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

struct SampleSet {
  std::string name;  ///< for messages: a path
  geometry::Points points;
  /// Where rows belong together, as the words of a segment do: the first row of each unit, rising from 0. An
  /// interval splits whole units. Empty: every row stands for itself.
  std::vector<std::size_t> unit_begins{};
  /// The line each unit came from, where that is known, and how many lines the file has: line i of one file
  /// may belong to line i of another that has equally many.
  std::vector<std::uint32_t> lines{};
  std::size_t file_lines = 0;
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
/// `of_reference` spares finding the neighbours inside the reference again where it is held against several
/// sets.
SetScores score_sets(const SampleSet& reference, const SampleSet& evaluated,
                     std::span<const MetricRequest> requests, const SetSettings& settings,
                     compute::Device& device, const RunContext& context,
                     geometry::KnownNeighbours* of_reference = nullptr);

}  // namespace markeval::metric
