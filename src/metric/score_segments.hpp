// Set metrics with the words of one line as a set (scope=segment): a score per line, their
// mean for the corpus. Made for thousands of small sets: the neighbours inside a set of reference words are
// found once for all systems, many segments are scored at a time, and nothing is set up per segment.
//
//   SegmentRun run(requests, systems, settings, device, context);
//   run.start_block(references);                 // per segment: the words of each reference
//   run.score(system, lines);                    // for every system: its words, segment by segment
//   ... more blocks ...
//   run.results(system);
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/matrix_view.hpp"
#include "base/result.hpp"
#include "base/run_context.hpp"
#include "geometry/small_sets.hpp"
#include "metric/registry.hpp"

namespace markeval::metric {

struct SegmentSettings {
  std::uint64_t seed = 12345;
  bool segments = false;               ///< keep the score of every segment
  std::string samples = "word";        ///< what a row is
  Named<std::string> input_signature;  ///< the parts that name the model
};

/// Rows of one text; they must stay alive until its block is scored.
using SegmentRows = MatrixView<const float>;

class SegmentRun {
 public:
  /// All requests must be for set metrics. `requests`, `device` and `context` must outlive the run.
  SegmentRun(std::span<const Metric> requests, std::size_t systems, const SegmentSettings& settings,
             compute::Device& device, const RunContext& context);
  ~SegmentRun();

  /// The next segments: the rows of each of their references, at least one. All rows are equally wide.
  void start_block(const std::vector<std::vector<SegmentRows>>& references);
  /// A system's rows, one text per segment of the block.
  void score(std::size_t system, std::span<const SegmentRows> lines);

  /// One per request; system, metric and requested are left for the caller to fill. Warns where k shrank and
  /// where sets were too small to be scored; `name` is the system's.
  std::vector<Result> results(std::size_t system, const std::string& name) const;

 private:
  struct SegmentTask;
  struct SmallSet;
  struct Block;
  struct Tally;
  struct SegmentScratch;
  struct Notes;

  Tally& tally(std::size_t system, std::size_t task);
  const Tally& tally(std::size_t system, std::size_t task) const;
  void score_segment(std::size_t segment, SegmentRows rows, std::span<double* const> out, Notes* notes,
                     SegmentScratch& scratch) const;
  void count_in_balls(const SmallSet& reference, const SmallSet& line,
                      FunctionRef<bool(const SegmentTask&)> wanted, SegmentScratch& scratch) const;
  void score_pair(const SegmentTask& task, const SmallSet& reference, const SmallSet& line, Notes& notes,
                  SegmentScratch& scratch) const;

  SegmentSettings settings_;
  compute::Device& device_;
  const RunContext& context_;
  std::size_t largest_k_ = 0;
  std::vector<SegmentTask> tasks_;
  std::vector<Tally> tallies_;  ///< system after system
  std::unique_ptr<Block> block_;
};

}  // namespace markeval::metric
