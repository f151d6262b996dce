// An even sample of the points, and the means of ten equal parts as a line.
#include "report/svg_scatter.hpp"

#include <algorithm>
#include <cmath>

#include "report/html_text.hpp"
#include "report/svg_axes.hpp"

namespace markeval::report {
namespace {

constexpr std::size_t kParts = 10;

/// Means of x and y over ten equal parts of the points in the order of x.
std::vector<ScatterPoint> means_by_part(std::vector<ScatterPoint> points) {
  std::ranges::sort(points, [](const ScatterPoint& a, const ScatterPoint& b) {
    return a.x != b.x ? a.x < b.x : a.y < b.y;
  });
  std::vector<ScatterPoint> means;
  for (std::size_t part = 0; part < kParts; ++part) {
    const std::size_t begin = points.size() * part / kParts;
    const std::size_t end = points.size() * (part + 1) / kParts;
    const auto count = static_cast<double>(end - begin);
    double x = 0, y = 0;  // a sum of large scores may be no double
    for (std::size_t i = begin; i < end; ++i) x += points[i].x / count, y += points[i].y / count;
    means.push_back({x, y});
  }
  return means;
}

}  // namespace

std::vector<std::size_t> even_sample(std::size_t count, std::size_t limit) {
  std::vector<std::size_t> sample(std::min(count, limit));
  for (std::size_t i = 0; i < sample.size(); ++i) sample[i] = i * count / sample.size();
  return sample;
}

SvgCanvas draw_scatter(const Scatter& scatter) {
  double x_low = INFINITY, x_high = -INFINITY, y_low = INFINITY, y_high = -INFINITY;
  for (const auto& [x, y] : scatter.points) {
    x_low = std::min(x_low, x), x_high = std::max(x_high, x);
    y_low = std::min(y_low, y), y_high = std::max(y_high, y);
  }
  const double top = 42;
  const double bottom = top + scatter.width * 0.62;
  Axis y_axis = round_axis(y_low, y_high, bottom, top, 4);
  const double left = label_room(y_axis);
  const Axis x_axis = round_axis(x_low, x_high, left, scatter.width - 8, 4);
  SvgCanvas canvas(scatter.width, bottom + 34,
                   "Scatter plot: " + scatter.title + ", " + scatter.y_label + " against " + scatter.x_label);
  draw_title(canvas, scatter.title, "\u2191 " + scatter.y_label);
  draw_x_axis(canvas, x_axis, top, bottom);
  draw_y_axis(canvas, y_axis, left, scatter.width - 8);
  for (const std::size_t i : even_sample(scatter.points.size(), scatter.limit)) {
    canvas.circle(x_axis(scatter.points[i].x), y_axis(scatter.points[i].y), 2,
                  {"fill0", 0, scatter.points.size() > 100 ? 0.35 : 0.6});
  }
  if (scatter.points.size() >= kLeastForLine) {
    std::string line;
    for (const auto& [x, y] : means_by_part(scatter.points)) {
      line += path_step(line.empty() ? 'M' : 'L', x_axis(x), y_axis(y));
    }
    canvas.path(line, {"line1 curve", 2.2, 1, "mean of " + scatter.y_label + " by tenths of the scores"});
  }
  canvas.text(scatter.width - 8, bottom + 29,
              fit_text(scatter.x_label + " \u2192", kLabelSize, scatter.width), "quiet", Anchor::end);
  return canvas;
}

}  // namespace markeval::report
