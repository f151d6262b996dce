// Lines over a common axis: scores over K, over dropped genres, over swapped words. Named at their ends.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/svg_canvas.hpp"
#include "report/svg_scale.hpp"

namespace markeval::report {

struct LinePoint {
  double x = 0, y = 0;
  std::optional<Interval> interval{};
};

struct Line {
  std::string label;
  std::vector<LinePoint> points;        ///< rising x; points whose y is not finite are left out
  bool dashed = false;                  ///< for published figures beside ours, and diversity beside quality
  std::optional<std::size_t> colour{};  ///< the line's number where there is none
};

struct LineChart {
  std::string title;
  std::string x_label, y_label;
  std::vector<Line> lines;
  double width = kChartWidth;
};

/// `draw_line_chart(chart).standalone_svg()` is a file of its own.
SvgCanvas draw_line_chart(const LineChart& chart);

}  // namespace markeval::report
