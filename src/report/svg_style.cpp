// The rules of page/chart.css and the names of its classes.
#include "report/svg_style.hpp"

#include <algorithm>

#include "report/page_files.hpp"

namespace markeval::report {

std::string chart_style() {
  return page_file("chart.css");
}

std::string series_fill(std::size_t series) {
  return "fill" + std::to_string(series % kSeriesColours);
}

std::string series_line(std::size_t series) {
  return "line" + std::to_string(series % kSeriesColours);
}

std::string scale_fill(double share) {
  const double step = std::clamp(share, 0.0, 1.0) * static_cast<double>(kScaleSteps);
  return "scale" + std::to_string(std::min(static_cast<std::size_t>(step), kScaleSteps - 1));
}

}  // namespace markeval::report
