// One function per SVG shape, and the element around them.
#include "report/svg_canvas.hpp"

#include <fmt/format.h>

#include <cmath>

#include "report/html_text.hpp"
#include "report/svg_style.hpp"

namespace markeval::report {

std::string coordinate(double value) {
  const double tenths = std::round(value * 10);
  if (tenths == 0) return "0";  // -0 too
  return std::fmod(tenths, 10) == 0 ? fmt::format("{:.0f}", tenths / 10) : fmt::format("{:.1f}", tenths / 10);
}

std::string path_step(char command, double x, double y) {
  return fmt::format("{}{} {}", command, coordinate(x), coordinate(y));
}

SvgCanvas::SvgCanvas(double width, double height, std::string_view description)
    : width_(width), height_(height), description_(escape(description)) {}

void SvgCanvas::shape(std::string_view name, const std::string& attributes, const Look& look) {
  body_ += fmt::format("<{} {} class=\"{}\"", name, attributes, look.style);
  if (look.stroke_width > 0) body_ += fmt::format(" style=\"stroke-width:{:.2f}\"", look.stroke_width);
  if (look.opacity < 1) body_ += fmt::format(" opacity=\"{:.2f}\"", look.opacity);
  body_ += look.tip.empty() ? "/>\n" : fmt::format("><title>{}</title></{}>\n", escape(look.tip), name);
}

void SvgCanvas::line(double x1, double y1, double x2, double y2, const Look& look) {
  shape("line",
        fmt::format("x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"", coordinate(x1), coordinate(y1), coordinate(x2),
                    coordinate(y2)),
        look);
}

void SvgCanvas::rectangle(double x, double y, double width, double height, const Look& look) {
  shape("rect",
        fmt::format("x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", coordinate(x), coordinate(y),
                    coordinate(width), coordinate(height)),
        look);
}

void SvgCanvas::circle(double x, double y, double radius, const Look& look) {
  shape("circle",
        fmt::format("cx=\"{}\" cy=\"{}\" r=\"{}\"", coordinate(x), coordinate(y), coordinate(radius)), look);
}

void SvgCanvas::path(std::string_view data, const Look& look) {
  shape("path", fmt::format("d=\"{}\"", data), look);
}

void SvgCanvas::text(double x, double y, std::string_view content, std::string_view style, Anchor anchor) {
  const char* end = anchor == Anchor::start    ? ""
                    : anchor == Anchor::middle ? " text-anchor=\"middle\""
                                               : " text-anchor=\"end\"";
  body_ += fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\"{}>{}</text>\n", coordinate(x), coordinate(y),
                       style, end, escape(content));
}

std::string SvgCanvas::element(std::string_view attributes) const {
  return fmt::format("<svg {}viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", attributes,
                     coordinate(width_), coordinate(height_), description_);
}

std::string SvgCanvas::inline_svg() const {
  // No wider than it was drawn: type that grows with the page would have as many sizes as there are charts.
  return element(fmt::format("class=\"chart\" style=\"max-width:{}px\" ", coordinate(width_))) + body_ +
         "</svg>\n";
}

std::string SvgCanvas::standalone_svg() const {
  const std::string attributes =
      fmt::format("xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" width=\"{}\" height=\"{}\" ",
                  coordinate(width_), coordinate(height_));
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}<style>\n{}</style>\n"
      "<rect width=\"100%\" height=\"100%\" class=\"paper\"/>\n{}</svg>\n",
      element(attributes), chart_style(), body_);
}

}  // namespace markeval::report
