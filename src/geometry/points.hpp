// A set of points as the user gave it: rows of float32 or float64. Values are read where they lie, never
// copied, and every value is exact in double, so "computed directly in double" means the same for both.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "base/matrix_view.hpp"
#include "base/run_context.hpp"

namespace markeval::geometry {

class Points {
 public:
  Points(MatrixView<const float> view) : view_(view) {}   // NOLINT(google-explicit-constructor)
  Points(MatrixView<const double> view) : view_(view) {}  // NOLINT(google-explicit-constructor)

  std::size_t rows() const {
    return std::visit([](const auto& view) { return view.rows(); }, view_);
  }
  std::size_t columns() const {
    return std::visit([](const auto& view) { return view.columns(); }, view_);
  }
  /// Calls `visitor` with the MatrixView behind it.
  template <typename Visitor>
  decltype(auto) visit(Visitor&& visitor) const {
    return std::visit(std::forward<Visitor>(visitor), view_);
  }

  /// The row's values as doubles; `out.size()` must be columns().
  void copy_row(std::size_t row, std::span<double> out) const {
    assert(out.size() == columns());
    visit([&](const auto& view) {
      const auto values = view.row(row);
      for (std::size_t column = 0; column < values.size(); ++column) out[column] = values[column];
    });
  }

 private:
  std::variant<MatrixView<const float>, MatrixView<const double>> view_;
};

/// A pass over all rows of a set: blocks of rows in parallel, their results combined in the order of the
/// rows, so that sums have the same bits for any number of threads. Calls `visit(view of the block's rows,
/// result)` for every block, then `combine(result)` block by block.
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
