// Statistics per segment first, aggregation second: a metric turns each segment into one row of numbers, a
// corpus score is a function of the sum of rows, and so resampling, segment scores and paired tests cost one
// row sum each.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/run_context.hpp"

namespace markeval::lexical {

/// What is scored: `systems[s][i]` against `references[i]`. A segment has one reference or more, their number
/// may vary. The strings are UTF-8 and belong to the caller.
struct ScoredTexts {
  std::vector<std::vector<std::string_view>> references;
  std::vector<std::vector<std::string_view>> systems;

  std::size_t segments() const { return references.size(); }
  /// The number of references every segment has; nothing where it varies. That is the `nrefs` of a signature.
  std::size_t reference_count_or_zero() const;
  /// Throws Error(invalid_input) when a system's length differs, a segment has no reference, or there is no
  /// segment.
  void check() const;
};

/// Looks at one segment at a time: its references once, then every system's hypothesis. Holds scratch space,
/// so each worker thread has its own.
class SegmentScorer {
 public:
  virtual ~SegmentScorer() = default;
  virtual void set_references(std::span<const std::string_view> references) = 0;
  virtual void add_hypothesis(std::string_view hypothesis, std::span<double> row) = 0;
};

/// The statistics of every system of the corpus, references looked at once for all of them. `make` is called
/// for each worker that runs.
std::vector<SegmentStatistics> collect_statistics(const ScoredTexts& corpus, std::size_t columns,
                                                  FunctionRef<std::unique_ptr<SegmentScorer>()> make,
                                                  const RunContext& context);

}  // namespace markeval::lexical
