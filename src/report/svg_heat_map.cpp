// Squares with numbers inside where they are large enough.
#include "report/svg_heat_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "report/html_text.hpp"
#include "report/svg_axes.hpp"
#include "report/svg_style.hpp"

namespace markeval::report {

SvgCanvas draw_heat_map(const HeatMap& map) {
  const std::size_t count = std::max<std::size_t>(map.names.size(), 1);
  const double number_width = text_width(std::to_string(count), kLabelSize) + 6;
  double label_width = 0;
  for (const std::string& name : map.names) label_width = std::max(label_width, text_width(name, kLabelSize));
  label_width = std::min(label_width, map.width * 0.42);
  const double left = number_width + label_width + 8, top = map.title.empty() ? 18 : 38;
  const double cell = std::clamp((map.width - left) / static_cast<double>(count), 4.0, 44.0);
  const double row_height = std::clamp(cell, 13.0, 26.0);
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const auto& row : map.values) {
    for (const auto& value : row) {
      if (value) low = std::min(low, *value), high = std::max(high, *value);
    }
  }
  SvgCanvas canvas(map.width, top + row_height * static_cast<double>(count) + 6,
                   "Heat map: " + (map.title.empty() ? map.name : map.title));
  draw_title(canvas, map.title, "");
  const bool numbers = cell >= text_width(".00", 10) + 4;
  for (std::size_t i = 0; i < map.names.size(); ++i) {
    const double y = top + row_height * static_cast<double>(i);
    canvas.text(number_width - 6, y + row_height / 2 + 4, std::to_string(i + 1), "quiet", Anchor::end);
    canvas.text(number_width, y + row_height / 2 + 4, fit_text(map.names[i], kLabelSize, label_width));
    canvas.text(left + cell * (static_cast<double>(i) + 0.5), top - 5, std::to_string(i + 1), "quiet small",
                Anchor::middle);
    for (std::size_t j = 0; j < map.values[i].size(); ++j) {
      const std::optional<double>& value = map.values[i][j];
      if (!value) continue;
      const double x = left + cell * static_cast<double>(j);
      const double share = high > low ? (*value - low) / (high - low) : 1;
      const std::string tip = fmt::format("{} and {}: {:.3f}", map.names[i], map.names[j], *value);
      // Light enough for a number to be read on it, in light and in dark.
      canvas.rectangle(x + 0.5, y + 0.5, cell - 1, row_height - 1,
                       {scale_fill(share), 0, numbers ? 0.45 : 1, tip});
      if (numbers)
        canvas.text(x + cell / 2, y + row_height / 2 + 4, fmt::format("{:.2f}", *value), "text small",
                    Anchor::middle);
    }
  }
  return canvas;
}

}  // namespace markeval::report
