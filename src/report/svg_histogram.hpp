// How scores are distributed: one band per system on a common axis, bars for many scores, a strip of dots for
// few.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/svg_canvas.hpp"
#include "report/svg_scale.hpp"

namespace markeval::report {

struct HistogramBand {
  std::string label;
  std::span<const double> values;  ///< those that are not finite are left out
};

struct Histogram {
  std::string title;
  std::vector<HistogramBand> bands;
  std::optional<Interval> domain{};
  double width = kChartWidth;
};

/// Up to this many scores each is a dot.
inline constexpr std::size_t kStripLimit = 60;

/// A tick marks the median of each band. All bands have bars of the same scale: the share of their scores.
SvgCanvas draw_histogram(const Histogram& histogram);

}  // namespace markeval::report
