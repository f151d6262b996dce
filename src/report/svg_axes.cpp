// Titles, both axes, and the spreading of labels that would overlap.
#include "report/svg_axes.hpp"

#include <algorithm>
#include <numeric>

#include "report/html_text.hpp"

namespace markeval::report {

void draw_title(SvgCanvas& canvas, std::string_view title, std::string_view note) {
  if (!title.empty()) canvas.text(0, 13, fit_text(title, 13.6, canvas.width()), "title");
  if (!note.empty()) canvas.text(0, 28, fit_text(note, kLabelSize, canvas.width()), "quiet");
}

void draw_x_axis(SvgCanvas& canvas, const Axis& axis, double top, double bottom) {
  double free_from = 0;  // where a label may begin without touching the one before
  for (const double tick : axis.ticks) {
    canvas.line(axis(tick), top, axis(tick), bottom, {"grid"});
    const std::string label = axis.label(tick);
    const double half = text_width(label, 10) / 2;
    const double x = std::clamp(axis(tick), half, canvas.width() - half);
    if (x - half < free_from) continue;
    free_from = x + half + 4;
    canvas.text(x, bottom + 14, label, "quiet small", Anchor::middle);
  }
}

void draw_y_axis(SvgCanvas& canvas, const Axis& axis, double left, double right) {
  for (const double tick : axis.ticks) {
    canvas.line(left, axis(tick), right, axis(tick), {"grid"});
    canvas.text(left - 6, axis(tick) + 3.5, axis.label(tick), "quiet small", Anchor::end);
  }
}

double label_room(const Axis& axis) {
  double room = 0;
  for (const double tick : axis.ticks) room = std::max(room, text_width(axis.label(tick), 10));
  return room + 8;
}

std::vector<double> keep_apart(const std::vector<double>& wanted, double distance, double low, double high) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  std::vector<double> heights(wanted.size());
  double least = low;
  for (const std::size_t i : order) {  // down as far as needed,
    heights[i] = std::max(wanted[i], least);
    least = heights[i] + distance;
  }
  double most = high;
  for (auto i = order.rbegin(); i != order.rend(); ++i) {  // then back up where they ran over the end
    heights[*i] = std::min(heights[*i], most);
    most = heights[*i] - distance;
  }
  return heights;
}

}  // namespace markeval::report
