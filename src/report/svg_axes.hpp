// What the charts share: a title, axes with quiet grid lines, labels that keep apart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/svg_canvas.hpp"
#include "report/svg_scale.hpp"

namespace markeval::report {

/// Title at the top left, the note under it; nothing where both are empty.
void draw_title(SvgCanvas& canvas, std::string_view title, std::string_view note);

/// Vertical grid lines from top to bottom, numbers below.
void draw_x_axis(SvgCanvas& canvas, const Axis& axis, double top, double bottom);

/// Horizontal grid lines from left to right, numbers before them.
void draw_y_axis(SvgCanvas& canvas, const Axis& axis, double left, double right);

/// Room the numbers of a vertical axis take.
double label_room(const Axis& axis);

/// The places nearest to `wanted` that lie at least `distance` apart and inside [low, high] where they fit,
/// in the order of `wanted`.
std::vector<double> keep_apart(const std::vector<double>& wanted, double distance, double low, double high);

}  // namespace markeval::report
