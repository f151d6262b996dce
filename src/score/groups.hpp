// Segments in groups, by genre, source or whatever a column tells, and what metrics say of each group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/run_context.hpp"
#include "metric/score_sets.hpp"
#include "report/groups.hpp"
#include "request/score_request.hpp"

namespace markeval::score {

struct Groups {
  std::string column;                     ///< what the groups are called by: "genre"
  std::string source;                     ///< where the labels stand, for messages
  std::vector<std::string> names;         ///< in the order of the labels
  std::vector<std::uint32_t> of_segment;  ///< by segment of the references
};

/// Whether it asks for groups: in both fields.
bool wants_groups(const ScoreRequest& request);

/// Throws Error(usage) where both fields are given, Error(invalid_input) for more groups than a table can
/// show.
Groups read_groups(const ScoreRequest& request);

/// The request with what score_groups() needs besides.
ScoreRequest with_parts(const ScoreRequest& request);

/// Puts into the results of metrics that count in balls which share of each of the references' segments lies
/// inside a ball of the system: a detail for score_groups(). Segments without rows have a share below 0.
/// `segments`: of the references, those without rows too; `segment_of`: of a row of the references.
void keep_covered(const std::vector<metric::SetExplanation>& explanations, std::size_t rows,
                  std::size_t segments, FunctionRef<std::size_t(std::size_t)> segment_of,
                  std::span<Result> results);

/// Scores of every group from the parts of `results`, which it takes away where `request` does not ask for
/// them. Metrics of whole sets that count in balls have one score, "covered"; others of them are left out.
/// Throws Error(invalid_input) where there are not as many labels as segments.
report::GroupedScores score_groups(const Groups& groups, const std::vector<Metric>& metrics,
                                   const ScoreRequest& request, const RunContext& context,
                                   std::vector<Result>& results);

}  // namespace markeval::score
