// Where every chart is drawn: shapes with the name of a style (svg_style.hpp), coordinates to a tenth of a
// unit, all text escaped. Charts are about as wide as a phone, so that their labels are read there as they
// are; on a desk they stand side by side.
#pragma once

#include <string>
#include <string_view>

namespace markeval::report {

inline constexpr double kChartWidth = 340;
inline constexpr double kCardWidth = 300;   ///< of those in cards, which stand closer
inline constexpr double kLabelSize = 11.5;  ///< of text in charts

enum class Anchor { start, middle, end };

/// How a shape looks: classes of svg_style.hpp, and what varies from shape to shape.
struct Look {
  std::string_view style;
  double stroke_width = 0;  ///< 0: the style's
  double opacity = 1;
  std::string_view tip{};  ///< shown while the pointer rests on it
};

class SvgCanvas {
 public:
  /// `description`: what a screen reader says instead of the picture.
  SvgCanvas(double width, double height, std::string_view description);

  void line(double x1, double y1, double x2, double y2, const Look& look);
  void rectangle(double x, double y, double width, double height, const Look& look);
  void circle(double x, double y, double radius, const Look& look);
  /// `data` as in the attribute d of a path: made by path_step(), never from a user's text.
  void path(std::string_view data, const Look& look);
  void text(double x, double y, std::string_view content, std::string_view style = "text",
            Anchor anchor = Anchor::start);
  void set_height(double height) { height_ = height; }

  double width() const { return width_; }
  double height() const { return height_; }

  std::string inline_svg() const;      ///< for a page that has chart_style()
  std::string standalone_svg() const;  ///< a file of its own

 private:
  std::string element(std::string_view attributes) const;
  void shape(std::string_view name, const std::string& attributes, const Look& look);

  double width_, height_;
  std::string description_, body_;
};

/// A coordinate: 12.345 -> "12.3", 7 -> "7", -0.01 -> "0".
std::string coordinate(double value);
/// A step of a path: 'L', 12.34, 4 -> "L12.3 4".
std::string path_step(char command, double x, double y);

}  // namespace markeval::report
