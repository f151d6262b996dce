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

/// The smallest p-value a page tells apart. Of a thousand resamples and a correction none may be smaller than
/// 0.001: this one can be reached.
inline constexpr double kStrongest = 0.01;

/// Steps at 0.05 and kStrongest. Columns carry the numbers of the rows, so that no label stands on its head.
SvgCanvas draw_matrix(const SignificanceMatrix& matrix);

}  // namespace markeval::report
