// Who is better than whom: a square per pair of metrics or systems, stronger in colour the surer.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/svg_canvas.hpp"

namespace markeval::report {

/// `row` is better than `column`, with this p-value; indices of the names.
struct MatrixCell {
  std::size_t row = 0, column = 0;
  std::optional<double> p_value;
};

struct SignificanceMatrix {
  std::string title;
  std::string note{};
  std::vector<std::string> names;  ///< best first
  std::vector<MatrixCell> cells;
  double width = kChartWidth;
};

/// Steps at 0.05, 0.01 and 0.001. Columns carry the numbers of the rows, so that no label stands on its head.
SvgCanvas draw_matrix(const SignificanceMatrix& matrix);

}  // namespace markeval::report
