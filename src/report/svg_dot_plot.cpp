// Order of the rows, the axis, and one line with dot, interval and label per row.
#include "report/svg_dot_plot.hpp"

#include <algorithm>
#include <cmath>

#include "report/cells.hpp"
#include "report/html_text.hpp"
#include "report/svg_axes.hpp"

namespace markeval::report {
namespace {

constexpr double kRowHeight = 21;
constexpr double kClusterGap = 11;

std::vector<DotRow> ordered(const DotPlot& plot) {
  std::vector<DotRow> rows = plot.rows;
  if (plot.order == RowOrder::as_given) return rows;
  const bool falling = plot.order == RowOrder::falling;
  std::ranges::stable_sort(rows, [falling](const DotRow& a, const DotRow& b) {
    if (std::isfinite(a.value) != std::isfinite(b.value)) return std::isfinite(a.value);
    return std::isfinite(a.value) && (falling ? a.value > b.value : a.value < b.value);
  });
  return rows;
}

Axis make_axis(const DotPlot& plot, double from, double to) {
  const int ticks = to - from < 160 ? 2 : 4;
  if (plot.domain) return round_axis(plot.domain->low, plot.domain->high, from, to, ticks);
  double low = plot.mark.value_or(INFINITY), high = plot.mark.value_or(-INFINITY);
  const auto see = [&](double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  };
  for (const DotRow& row : plot.rows) {
    see(row.value);
    if (row.interval) see(row.interval->low), see(row.interval->high);
    for (const double part : row.parts) see(part);
  }
  return round_axis(low, high, from, to, ticks);
}

std::string tip(const DotRow& row) {
  std::string text = row.label + ": " + short_number(row.value);
  if (row.interval) text.append(" ").append(interval_text(*row.interval, 4));
  return text;
}

}  // namespace

SvgCanvas draw_dot_plot(const DotPlot& plot) {
  const std::vector<DotRow> rows = ordered(plot);
  double label_width = 0;
  for (const DotRow& row : rows) label_width = std::max(label_width, text_width(row.label, kLabelSize));
  label_width = std::min(label_width, plot.width * plot.label_share);
  const double left = label_width + 14;
  const double right = plot.width - 10;
  const Axis axis = make_axis(plot, left, right);
  const double top = plot.title.empty() ? 6 : plot.note.empty() ? 26 : 40;

  std::size_t gaps = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) gaps += rows[i].cluster != rows[i - 1].cluster ? 1 : 0;
  const double bottom =
      top + static_cast<double>(rows.size()) * kRowHeight + static_cast<double>(gaps) * kClusterGap;
  SvgCanvas canvas(plot.width, bottom + 22, "Dot plot: " + (plot.title.empty() ? plot.name : plot.title));
  draw_title(canvas, plot.title, plot.note);
  draw_x_axis(canvas, axis, top, bottom);

  if (plot.mark && std::isfinite(*plot.mark))
    canvas.line(axis(*plot.mark), top, axis(*plot.mark), bottom, {"inkline dashed"});
  double y = top + kRowHeight / 2;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const DotRow& row = rows[i];
    if (i > 0 && row.cluster != rows[i - 1].cluster) {
      canvas.line(0, y - kRowHeight / 2 + kClusterGap / 2, plot.width, y - kRowHeight / 2 + kClusterGap / 2,
                  {"rule dashed"});
      y += kClusterGap;
    }
    canvas.text(label_width, y + 4, fit_text(row.label, kLabelSize, label_width), "text", Anchor::end);
    for (const double part : row.parts) {
      if (std::isfinite(part)) canvas.circle(axis(part), y, 2.4, {"fill0", 0, 0.38});
    }
    const std::string description = tip(row);
    if (row.interval) {
      canvas.line(axis(row.interval->low), y, axis(row.interval->high), y, {"line0 bar", 0, 0.5});
    }
    if (std::isfinite(row.value)) canvas.circle(axis(row.value), y, 4.6, {"fill0", 0, 1, description});
    y += kRowHeight;
  }
  return canvas;
}

}  // namespace markeval::report
