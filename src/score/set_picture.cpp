// The two main axes of a sample of the references, the projected points, and the list of rows outside.
#include "score/set_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "report/svg_scatter.hpp"

namespace markeval::score {
namespace {

constexpr std::size_t kAxesSample = 2000;  ///< rows of each set the axes are found on
constexpr std::size_t kDrawn = 600;        ///< rows of each set, and
constexpr std::size_t kOutsideDrawn = 60;  ///< those farthest outside
constexpr std::size_t kListed = 20;
constexpr std::size_t kLabelled = 6;

/// The plane of the references alone, so that all systems are drawn on the same one.
geometry::SetAxes find_plane(geometry::SetEngine& engine, geometry::SetId reference,
                             const RunContext& context) {
  const std::vector<std::size_t> sample = report::even_sample(engine.rows(reference), kAxesSample);
  const geometry::HeldSet rows(
      engine, engine.subset(reference, std::vector<std::uint32_t>(sample.begin(), sample.end())));
  return engine.axes(rows, 2, context);
}

/// One set on a map.
struct DrawnSide {
  geometry::SetEngine& engine;
  geometry::SetId set;
  const std::vector<geometry::OutsidePoint>& outside;
  const report::RowLookup& lookup;
  report::MapRole inside_role, outside_role;
  const char* prefix;

  /// A row's place on the plane; a set of one column has one axis.
  std::array<double, 2> project(const geometry::SetAxes& plane, std::size_t row) const {
    std::vector<double> values(plane.mean.size());
    engine.read_row(set, row, values);
    std::array<double, 2> origin{};
    for (std::size_t axis = 0; axis < plane.axes.rows(); ++axis) {
      for (std::size_t i = 0; i < values.size(); ++i)
        origin[axis] += (values[i] - plane.mean[i]) * plane.axes.row(axis)[i];
    }
    return origin;
  }
};

void add_points(const DrawnSide& side, const geometry::SetAxes& plane, report::SetPicture& picture) {
  const std::size_t count = side.engine.rows(side.set);
  std::vector<std::uint8_t> outside(count, 0);
  for (const geometry::OutsidePoint& point : side.outside) outside[point.row] = 1;
  std::vector<std::size_t> rows = report::even_sample(count, kDrawn);
  std::vector<std::string> labels(count);
  for (std::size_t i = 0; i < std::min(kOutsideDrawn, side.outside.size()); ++i) {
    rows.push_back(side.outside[i].row);
    if (i < kLabelled) labels[rows.back()] = side.prefix + std::to_string(i + 1);
  }
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  for (const std::size_t row : rows) {
    const std::array<double, 2> origin = side.project(plane, row);
    const report::RowOrigin source = side.lookup(row);
    picture.points.push_back(
        {origin[0], origin[1], outside[row] != 0 ? side.outside_role : side.inside_role, labels[row],
         source.text.empty() ? describe(source) : describe(source) + ": " + source.text});
  }
  picture.drawn += rows.size();
}

std::vector<report::OutsideRow> list_rows(const std::vector<geometry::OutsidePoint>& outside,
                                          const char* prefix, const report::RowLookup& own,
                                          const report::RowLookup& other) {
  std::vector<report::OutsideRow> rows = report::outside_rows(outside, own, other, kListed);
  for (std::size_t i = 0; i < std::min(kLabelled, rows.size()); ++i)
    rows[i].label = prefix + std::to_string(i + 1);
  return rows;
}

}  // namespace

report::SetPicture SetPictures::draw(const metric::SetExplanation& explanation, geometry::SetId system,
                                     const report::RowLookup& system_row, const RunContext& context) {
  report::SetPicture picture;
  picture.system = explanation.system;
  picture.metric = explanation.metric;
  picture.balls =
      fmt::format("{} balls, k = {}", explanation.request.ball == geometry::Ball::closed ? "closed" : "open",
                  explanation.request.k);
  picture.reference_rows = engine_.rows(reference_);
  picture.system_rows = engine_.rows(system);
  if (!plane_) plane_ = find_plane(engine_, reference_, context);
  std::ranges::copy(plane_->shares, std::begin(picture.shares));
  add_points({engine_, reference_, explanation.missing_modes, reference_row_, report::MapRole::reference,
              report::MapRole::missing_mode, "r"},
             *plane_, picture);
  add_points({engine_, system, explanation.off_manifold, system_row, report::MapRole::system,
              report::MapRole::off_manifold, "g"},
             *plane_, picture);
  picture.off_manifold = list_rows(explanation.off_manifold, "g", system_row, reference_row_);
  picture.missing_modes = list_rows(explanation.missing_modes, "r", reference_row_, system_row);
  picture.off_manifold_total = explanation.off_manifold.size();
  picture.missing_modes_total = explanation.missing_modes.size();
  return picture;
}

}  // namespace markeval::score
