// Marks by role, labels where there is room, and the legend.
#include "report/svg_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "report/html_text.hpp"
#include "report/svg_axes.hpp"

namespace markeval::report {
namespace {

constexpr double kMargin = 10;

void draw_mark(SvgCanvas& canvas, MapRole role, double x, double y, const std::string& tip) {
  switch (role) {
    case MapRole::reference:
      canvas.circle(x, y, 2.1, {"fill0", 0, 0.45, tip});
      break;
    case MapRole::system:
      canvas.rectangle(x - 1.9, y - 1.9, 3.8, 3.8, {"fill1", 0, 0.5, tip});
      break;
    case MapRole::missing_mode:
      canvas.circle(x, y, 3.2, {"line0 ring", 0, 0.9, tip});
      break;
    case MapRole::off_manifold:
      canvas.rectangle(x - 2.9, y - 2.9, 5.8, 5.8, {"line1 ring", 0, 0.9, tip});
      break;
  }
}

/// Labels beside their points, on the first side where none stands yet; one that finds no room is left out.
struct LabelSpots {
  double width;
  std::vector<std::pair<double, double>> taken;  ///< centres

  void draw(SvgCanvas& canvas, const std::string& label, double x, double y) {
    const double half = text_width(label, 10) / 2;
    const std::array<std::pair<double, double>, 4> sides{
        {{x + 6 + half, y}, {x - 6 - half, y}, {x, y - 10}, {x, y + 10}}};
    for (const auto& [place_x, place_y] : sides) {
      const bool inside = place_x - half >= 0 && place_x + half <= width;
      const bool free = std::ranges::none_of(taken, [&, px = place_x, py = place_y](const auto& other) {
        return std::abs(other.first - px) < 2 * half + 2 && std::abs(other.second - py) < 11;
      });
      if (!inside || !free) continue;
      taken.emplace_back(place_x, place_y);
      canvas.text(place_x, place_y + 3.5, label, "text small halo", Anchor::middle);
      return;
    }
  }
};

/// Legend in two columns; a role nobody has is left out. Returns the height it took.
double draw_legend(SvgCanvas& canvas, const SetMap& map, double top) {
  const std::array<std::pair<MapRole, std::string>, 4> entries{
      {{MapRole::reference, "reference"},
       {MapRole::system, map.system},
       {MapRole::missing_mode, "reference, not covered"},
       {MapRole::off_manifold, "far from the reference"}}};
  std::size_t entry = 0;
  for (const auto& [role, label] : entries) {
    const MapRole wanted = role;
    if (std::ranges::none_of(map.points, [&](const MapPoint& p) { return p.role == wanted; })) continue;
    const double x = entry % 2 == 0 ? 6 : map.width / 2;
    const double y = top + 16 * static_cast<double>(entry / 2);
    draw_mark(canvas, role, x, y - 4, "");
    canvas.text(x + 10, y, fit_text(label, kLabelSize, map.width / 2 - 20), "quiet");
    ++entry;
  }
  return 16 * static_cast<double>((entry + 1) / 2);
}

}  // namespace

SvgCanvas draw_map(const SetMap& map) {
  double x_low = INFINITY, x_high = -INFINITY, y_low = INFINITY, y_high = -INFINITY;
  for (const MapPoint& p : map.points) {
    x_low = std::min(x_low, p.x), x_high = std::max(x_high, p.x);
    y_low = std::min(y_low, p.y), y_high = std::max(y_high, p.y);
  }
  if (map.points.empty()) x_low = y_low = 0, x_high = y_high = 1;
  const double room = map.width - 2 * kMargin;
  const double x_span = std::max(x_high - x_low, 1e-12), y_span = std::max(y_high - y_low, 1e-12);
  const double scale = std::min(room / x_span, room / y_span);
  const double height = std::max(y_span * scale, room * 0.45);
  const double top = 22 + kMargin;
  const double x_shift = kMargin + (room - x_span * scale) / 2;
  const double y_shift = top + (height - y_span * scale) / 2;
  const auto place_x = [&](double x) { return x_shift + (x - x_low) * scale; };
  const auto place_y = [&](double y) { return y_shift + (y_high - y) * scale; };

  SvgCanvas canvas(map.width, 0, "Map: " + map.title);
  draw_title(canvas, map.title, "");
  canvas.rectangle(0.5, top - kMargin + 0.5, map.width - 1, height + 2 * kMargin - 1, {"grid"});
  for (const MapRole role :
       {MapRole::reference, MapRole::system, MapRole::missing_mode, MapRole::off_manifold}) {
    for (const MapPoint& p : map.points) {
      if (p.role == role) draw_mark(canvas, role, place_x(p.x), place_y(p.y), p.tip);
    }
  }
  LabelSpots labels{map.width, {}};
  for (const MapPoint& p : map.points) {
    if (!p.label.empty()) labels.draw(canvas, p.label, place_x(p.x), place_y(p.y));
  }
  const double legend_top = top + height + kMargin + 16;
  canvas.set_height(legend_top + draw_legend(canvas, map, legend_top) - 8);
  return canvas;
}

}  // namespace markeval::report
