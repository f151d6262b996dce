// What a report is made of, for some segments of a corpus and some metrics: scores or addable counts of
// segments, and what was found in the texts. It travels as bytes between processes of one version, and parts
// put together are what one run over all segments would have found, to the bit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/finding.hpp"
#include "base/result.hpp"

namespace markeval::parallel {

struct ScorePart {
  struct Measured {
    std::string requested;         ///< Metric::text
    std::optional<Error> failure;  ///< the first
    /// By system, as the metric made them: without names, intervals and number of references. Of set metrics
    /// over a corpus they are whole.
    std::vector<Result> systems;
  };
  std::uint64_t segments = 0;
  std::uint64_t references = 0;  ///< of each segment; 0: their number varies
  std::vector<Measured> metrics;
  std::vector<Finding> findings;
  std::vector<Ceiling> ceilings;

  /// The segments that follow; the metrics are the same.
  void append(ScorePart next);
  /// Other metrics on the same segments.
  void unite(ScorePart other);
};

std::string pack(const ScorePart& part);
/// Throws Error(invalid_input) for bytes that are no part, or one of another version.
ScorePart unpack_part(std::string_view bytes);

}  // namespace markeval::parallel
