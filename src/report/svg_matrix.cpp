// One colour step per level of p-value, and the legend.
#include "report/svg_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/cells.hpp"
#include "report/html_text.hpp"
#include "report/svg_axes.hpp"

namespace markeval::report {
namespace {

struct Step {
  double most;  ///< p-value up to which it holds
  const char* style;
  const char* label;
};
constexpr Step kSteps[] = {{kStrongest, "scale5", "p \u2264 0.01"}, {0.05, "scale2", "\u2264 0.05"}};

std::string style_of(const std::optional<double>& p_value) {
  for (const Step& step : kSteps) {
    if (p_value && *p_value <= step.most) return step.style;
  }
  return "scale0";
}

void draw_legend(SvgCanvas& canvas, double y) {
  double x = 0;
  const auto entry = [&](const char* style, const std::string& label) {
    canvas.rectangle(x, y - 9, 10, 10, {style});
    canvas.text(x + 14, y, label, "quiet small");
    x += 14 + text_width(label, 10) + 12;
  };
  for (const Step& step : kSteps) entry(step.style, step.label);
  entry("scale0", "not separated");
}

}  // namespace

SvgCanvas draw_matrix(const SignificanceMatrix& matrix) {
  const std::size_t count = matrix.names.size();
  const auto number_of = [](std::size_t i) { return std::to_string(i + 1); };
  const double number_width = text_width(std::to_string(count), kLabelSize) + 6;
  double label_width = 0;
  for (const std::string& name : matrix.names)
    label_width = std::max(label_width, text_width(name, kLabelSize));
  label_width = std::min(label_width, matrix.width * 0.42);
  const double left = number_width + label_width + 8;
  const double cell =
      std::clamp((matrix.width - left) / static_cast<double>(std::max<std::size_t>(count, 1)), 4.0, 26.0);
  const double top = matrix.note.empty() ? 38 : 52;
  const double row_height = std::max(cell, 13.0);
  const double bottom = top + row_height * static_cast<double>(count);
  SvgCanvas canvas(matrix.width, bottom + 24, "Significance matrix: " + matrix.title);
  draw_title(canvas, matrix.title, matrix.note);
  const bool numbers = cell >= text_width(std::to_string(count), 10) + 1;
  for (std::size_t i = 0; i < count; ++i) {
    const double y = top + row_height * static_cast<double>(i);
    canvas.text(number_width - 6, y + row_height / 2 + 4, number_of(i), "quiet", Anchor::end);
    canvas.text(number_width, y + row_height / 2 + 4, fit_text(matrix.names[i], kLabelSize, label_width));
    const double x = left + cell * static_cast<double>(i);
    if (numbers) canvas.text(x + cell / 2, top - 5, number_of(i), "quiet small", Anchor::middle);
    canvas.rectangle(x + cell / 2 - 1, y + row_height / 2 - 1, 2, 2, {"back"});
  }
  for (const MatrixCell& pair : matrix.cells) {
    const std::string p = probability(pair.p_value);
    const std::string tip = fmt::format("{} over {}: p {}{}", matrix.names[pair.row],
                                        matrix.names[pair.column], p.starts_with('<') ? "" : "= ", p);
    canvas.rectangle(left + cell * static_cast<double>(pair.column) + 0.5,
                     top + row_height * static_cast<double>(pair.row) + 0.5, cell - 1, row_height - 1,
                     {style_of(pair.p_value), 0, 1, tip});
  }
  draw_legend(canvas, bottom + 18);
  return canvas;
}

}  // namespace markeval::report
