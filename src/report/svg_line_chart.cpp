// Ranges of both axes, the lines with their points, and names kept apart at the right end.
#include "report/svg_line_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/cells.hpp"
#include "report/html_text.hpp"
#include "report/svg_axes.hpp"
#include "report/svg_style.hpp"

namespace markeval::report {
namespace {

struct Extent {
  double low = INFINITY, high = -INFINITY;
  void see(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

std::vector<LinePoint> drawable(const Line& line) {
  std::vector<LinePoint> points;
  for (const LinePoint& point : line.points) {
    if (std::isfinite(point.x) && std::isfinite(point.y)) points.push_back(point);
  }
  return points;
}

void draw_line(SvgCanvas& canvas, const std::vector<LinePoint>& points, const Line& line, std::size_t series,
               const Axis& x_axis, const Axis& y_axis) {
  const std::string fill = series_fill(series);
  std::string band, back, path;
  for (const LinePoint& p : points) {
    if (!p.interval) continue;
    band += path_step(band.empty() ? 'M' : 'L', x_axis(p.x), y_axis(p.interval->high));
    back = path_step('L', x_axis(p.x), y_axis(p.interval->low)) + back;
  }
  if (!band.empty()) canvas.path(band + back + "Z", {fill, 0, 0.16});
  for (const LinePoint& p : points) path += path_step(path.empty() ? 'M' : 'L', x_axis(p.x), y_axis(p.y));
  const std::string style = series_line(series) + (line.dashed ? " curve dashed" : " curve");
  canvas.path(path, {style});
  if (points.size() > 24) return;
  for (const LinePoint& p : points) {
    const std::string tip = fmt::format("{}: {:g}, {}", line.label, p.x, short_number(p.y));
    canvas.circle(x_axis(p.x), y_axis(p.y), 2.6, {fill, 0, 1, tip});
  }
}

}  // namespace

SvgCanvas draw_line_chart(const LineChart& chart) {
  Extent xs, ys;
  double name_width = 0;
  std::vector<std::vector<LinePoint>> lines;
  for (const Line& line : chart.lines) {
    lines.push_back(drawable(line));
    for (const LinePoint& p : lines.back()) {
      xs.see(p.x);
      ys.see(p.y);
      if (p.interval) ys.see(p.interval->low), ys.see(p.interval->high);
    }
    name_width = std::max(name_width, text_width(line.label, kLabelSize));
  }
  name_width = std::min(name_width, chart.width * 0.34);
  const double top = chart.y_label.empty() ? 30 : 44;
  const double least_height = 16.0 * static_cast<double>(lines.size());
  const double bottom = top + std::max(chart.width * 0.56, least_height);
  const Axis y_axis = round_axis(ys.low, ys.high, bottom - 2, top, 5);
  const double left = label_room(y_axis);
  const double right = chart.width - name_width - 12;
  const Axis x_axis = tight_axis(xs.low, xs.high, left + 4, right, 5);
  SvgCanvas canvas(chart.width, bottom + 36, "Line chart: " + chart.title);
  draw_title(canvas, chart.title, chart.y_label.empty() ? "" : "\u2191 " + chart.y_label);
  draw_y_axis(canvas, y_axis, left, right);
  for (const double tick : x_axis.ticks) {
    canvas.line(x_axis(tick), bottom - 2, x_axis(tick), bottom + 2, {"rule"});
    canvas.text(x_axis(tick), bottom + 14, x_axis.label(tick), "quiet small", Anchor::middle);
  }
  canvas.text(right, bottom + 30, fit_text(chart.x_label + " \u2192", kLabelSize, right), "quiet",
              Anchor::end);
  std::vector<double> ends;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].empty())
      draw_line(canvas, lines[i], chart.lines[i], chart.lines[i].colour.value_or(i), x_axis, y_axis);
    ends.push_back(lines[i].empty() ? bottom : y_axis(lines[i].back().y));
  }
  const std::vector<double> heights = keep_apart(ends, 14, top, bottom);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    canvas.text(right + 8, heights[i] + 4, fit_text(chart.lines[i].label, kLabelSize, name_width),
                series_fill(chart.lines[i].colour.value_or(i)));
  }
  return canvas;
}

}  // namespace markeval::report
