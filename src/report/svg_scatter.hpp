// A metric's scores against people's: a point per segment, and how the human score rises with the metric's.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/svg_canvas.hpp"

namespace markeval::report {

inline constexpr std::size_t kLeastForLine = 100;

struct ScatterPoint {
  double x = 0, y = 0;  ///< finite
};

struct Scatter {
  std::string title;
  std::string x_label, y_label;
  std::vector<ScatterPoint> points;
  std::size_t limit = 400;  ///< more are sampled evenly, by their order
  double width = kChartWidth;
};

/// From kLeastForLine points on a line joins the means of y over ten equal parts of the points, by x: of all
/// points, also of those not drawn.
SvgCanvas draw_scatter(const Scatter& scatter);

/// The indices of `limit` of `count` things, evenly spaced; all of them where they are few.
std::vector<std::size_t> even_sample(std::size_t count, std::size_t limit);

}  // namespace markeval::report
