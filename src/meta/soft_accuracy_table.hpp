// Soft pairwise accuracy from rows: who scored what is given by system and segment names.
#pragma once

#include <cstddef>
#include <vector>

#include "base/run_context.hpp"
#include "meta/coefficient.hpp"
#include "meta/score_table.hpp"
#include "meta/soft_pairwise_accuracy.hpp"

namespace markeval::meta {

struct SoftAccuracyOfColumn {
  GroupedCoefficient values;
  std::size_t segments_left_out =
      0;  ///< not scored for every system of their group, by people and by the metric
};

/// One per predicted column: every group by itself over all its systems, and the mean of the groups.
/// Throws Error(invalid_input) where system or segment names are missing or a system has a segment twice in a
/// group.
std::vector<SoftAccuracyOfColumn> soft_accuracy(const ScoreTable& table, const SoftAccuracyOptions& options,
                                                const RunContext& context);

}  // namespace markeval::meta
