// Two sets of vectors seen from above: the plane in which they are widest, with what lies outside the other
// set marked.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/svg_canvas.hpp"

namespace markeval::report {

enum class MapRole {
  reference,     ///< a row of the reference
  system,        ///< a row of the system
  missing_mode,  ///< a row of the reference inside no ball of the system
  off_manifold,  ///< a row of the system inside no ball of the reference
};

struct MapPoint {
  double x = 0, y = 0;
  MapRole role = MapRole::reference;
  std::string label{};  ///< beside the point: "g1", the name it has in a list
  std::string tip{};
};

struct SetMap {
  std::string title;
  std::string system = "system";  ///< its name in the legend
  std::vector<MapPoint> points;   ///< drawn in the order of their roles
  double width = kChartWidth;
};

/// The same scale both ways. A role is told by shape too: dots, and squares for the system; what lies outside
/// is an outline.
SvgCanvas draw_map(const SetMap& map);

}  // namespace markeval::report
