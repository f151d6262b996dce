// Dots in rows: scores with their intervals, systems or metrics ranked, clusters set apart.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/svg_canvas.hpp"
#include "report/svg_scale.hpp"

namespace markeval::report {

struct DotRow {
  std::string label;
  double value = 0;
  std::optional<Interval> interval{};
  std::vector<double> parts{};  ///< small quiet dots: the groups a mean was made of
  std::size_t cluster = 0;      ///< rows of different clusters are set apart; 0 everywhere: no clusters
};

enum class RowOrder { as_given, falling, rising };  ///< by value; equal values as given

struct DotPlot {
  std::string title;
  std::string note{};  ///< small, under the title: "higher is better"
  std::vector<DotRow> rows;
  RowOrder order = RowOrder::falling;
  std::optional<double> mark{};      ///< an upright dashed line: what people score
  std::optional<Interval> domain{};  ///< of the axis; else what the data need
  double label_share = 0.4;          ///< of the width, at most, for the names of the rows
  double width = kChartWidth;
  std::string name{};  ///< for screen readers, where there is no title
};

/// Rows whose value is not finite are listed without a dot.
SvgCanvas draw_dot_plot(const DotPlot& plot);

}  // namespace markeval::report
