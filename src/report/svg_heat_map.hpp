// A number for each pair of names: a square per pair, stronger in colour the larger.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/svg_canvas.hpp"

namespace markeval::report {

struct HeatMap {
  std::string title;
  std::vector<std::string> names;                          ///< of rows and of columns
  std::vector<std::vector<std::optional<double>>> values;  ///< by row
  double width = kChartWidth;
  std::string name{};  ///< for screen readers, where there is no title
};

/// Colours reach from the smallest value to the largest; each square carries its number where it fits.
/// Columns carry the numbers of the rows.
SvgCanvas draw_heat_map(const HeatMap& map);

}  // namespace markeval::report
