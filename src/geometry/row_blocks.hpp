// A pass over all rows of a set: blocks of rows in parallel, their results combined in the order of the rows,
// so that sums have the same bits for any number of threads.
#pragma once

#include <algorithm>
#include <vector>

#include "base/run_context.hpp"
#include "geometry/points.hpp"

namespace markeval::geometry {

/// Calls `visit(view of the block's rows, result)` for every block, then `combine(result)` block by block.
template <typename Result, typename Visit, typename Combine>
void for_row_blocks(const Points& points, const RunContext& context, Visit visit, Combine combine) {
  constexpr std::size_t kRows = 1024;
  std::vector<Result> results((points.rows() + kRows - 1) / kRows);
  context.pool.for_each(results.size(), [&](std::size_t block, std::size_t) {
    context.check_cancelled();
    points.visit([&](const auto& view) {
      const std::size_t first = block * kRows;
      visit(view.rows_from(first, std::min(kRows, view.rows() - first)), results[block]);
    });
  });
  for (const Result& result : results) combine(result);
}

}  // namespace markeval::geometry
