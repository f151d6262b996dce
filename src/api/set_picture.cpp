#include "api/set_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "geometry/principal_axes.hpp"
#include "report/svg_scatter.hpp"

namespace markeval {
namespace {

constexpr std::size_t kAxesSample = 2000;  ///< rows of each set the axes are found on
constexpr std::size_t kDrawn = 600;        ///< rows of each set, and
constexpr std::size_t kOutsideDrawn = 60;  ///< those farthest outside
constexpr std::size_t kListed = 20;
constexpr std::size_t kLabelled = 6;

/// The plane of a map: where it is, and how much of the variance lies in it.
struct Plane {
  std::vector<double> mean;
  std::vector<double> axes;  ///< two rows, or one of a set that has one column
  std::size_t count = 0;
  double shares[2] = {0, 0};

  std::vector<double> project(const geometry::Points& points, std::size_t row) const {
    std::vector<double> values(mean.size());
    points.copy_row(row, values);
    std::vector<double> place(2, 0);
    for (std::size_t axis = 0; axis < count; ++axis) {
      for (std::size_t i = 0; i < mean.size(); ++i)
        place[axis] += (values[i] - mean[i]) * axes[axis * mean.size() + i];
    }
    return place;
  }
};

/// Of the references alone, so that all systems are drawn on one plane.
Plane find_plane(const geometry::Points& reference, const compute::Products& products) {
  const std::size_t columns = reference.columns();
  std::vector<std::vector<double>> rows;
  for (const std::size_t row : report::even_sample(reference.rows(), kAxesSample))
    reference.copy_row(row, rows.emplace_back(columns));
  Plane plane;
  plane.mean.assign(columns, 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < columns; ++i) plane.mean[i] += row[i] / static_cast<double>(rows.size());
  }
  // Vectors may be of any size: floats are enough once the largest value is 1.
  double largest = 0, total = 0;
  for (auto& row : rows) {
    for (std::size_t i = 0; i < columns; ++i) largest = std::max(largest, std::abs(row[i] - plane.mean[i]));
  }
  AlignedBuffer<float> centred(rows.size() * columns);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t i = 0; i < columns; ++i) {
      const double value = largest > 0 ? (rows[r][i] - plane.mean[i]) / largest : 0;
      centred.data()[r * columns + i] = static_cast<float>(value);
      total += value * value;
    }
  }
  plane.count = std::min<std::size_t>(2, columns);
  // More axes than needed make the first two accurate.
  plane.axes = geometry::principal_axes({centred.data(), rows.size(), columns},
                                        std::min<std::size_t>(8, columns), products);
  for (std::size_t axis = 0; axis < plane.count && total > 0; ++axis) {
    double along = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      double place = 0;
      for (std::size_t i = 0; i < columns; ++i)
        place += centred.data()[r * columns + i] * plane.axes[axis * columns + i];
      along += place * place;
    }
    plane.shares[axis] = along / total;
  }
  return plane;
}

/// "poor.npy, row 69", "out.txt, line 3", "out.txt, line 3, cat, layer 5"; the whole path stands among the
/// inputs.
std::string describe(const report::RowPlace& place) {
  std::string text = fmt::format("{}, {} {}", std::filesystem::path(place.file).filename().string(),
                                 place.is_line ? "line" : "row", place.row);
  if (!place.word.empty()) text += fmt::format(", {}, layer {}", place.word, place.layer);
  return text;
}

struct DrawnSet {
  const geometry::Points* points;
  const std::vector<geometry::OutsidePoint>* outside;
  const report::RowLookup* lookup;
  report::MapRole inside_role, outside_role;
  const char* prefix;
};

void add_points(const DrawnSet& side, const Plane& plane, report::SetPicture& picture) {
  std::vector<std::uint8_t> outside(side.points->rows(), 0);
  for (const geometry::OutsidePoint& point : *side.outside) outside[point.row] = 1;
  std::vector<std::size_t> rows = report::even_sample(side.points->rows(), kDrawn);
  std::vector<std::string> labels(side.points->rows());
  for (std::size_t i = 0; i < std::min(kOutsideDrawn, side.outside->size()); ++i) {
    rows.push_back((*side.outside)[i].row);
    if (i < kLabelled) labels[rows.back()] = side.prefix + std::to_string(i + 1);
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  for (const std::size_t row : rows) {
    const std::vector<double> place = plane.project(*side.points, row);
    const report::RowPlace source = (*side.lookup)(row);
    picture.points.push_back(
        {place[0], place[1], outside[row] != 0 ? side.outside_role : side.inside_role, labels[row],
         source.text.empty() ? describe(source) : describe(source) + ": " + source.text});
  }
  picture.drawn += rows.size();
}

std::vector<report::OutsideRow> list_rows(const std::vector<geometry::OutsidePoint>& outside,
                                          const char* prefix, const report::RowLookup& own,
                                          const report::RowLookup& other) {
  std::vector<report::OutsideRow> rows;
  for (std::size_t i = 0; i < std::min(kListed, outside.size()); ++i) {
    const report::RowPlace source = own(outside[i].row);
    const report::RowPlace nearest = other(outside[i].nearest_centre);
    rows.push_back({i < kLabelled ? prefix + std::to_string(i + 1) : "", describe(source), source.text,
                    outside[i].gap(), describe(nearest), nearest.text});
  }
  return rows;
}

}  // namespace

report::SetPicture make_set_picture(const metric::SetExplanation& explanation,
                                    const geometry::Points& reference, const geometry::Points& system,
                                    const report::RowLookup& reference_row,
                                    const report::RowLookup& system_row, const compute::Products& products) {
  report::SetPicture picture;
  picture.system = explanation.system;
  picture.metric = explanation.metric;
  picture.balls =
      fmt::format("{} balls, k = {}", explanation.request.ball == geometry::Ball::closed ? "closed" : "open",
                  explanation.request.k);
  picture.reference_rows = reference.rows();
  picture.system_rows = system.rows();
  const Plane plane = find_plane(reference, products);
  picture.shares[0] = plane.shares[0];
  picture.shares[1] = plane.shares[1];
  add_points({&reference, &explanation.missing_modes, &reference_row, report::MapRole::reference,
              report::MapRole::missing_mode, "r"},
             plane, picture);
  add_points({&system, &explanation.off_manifold, &system_row, report::MapRole::system,
              report::MapRole::off_manifold, "g"},
             plane, picture);
  picture.off_manifold = list_rows(explanation.off_manifold, "g", system_row, reference_row);
  picture.missing_modes = list_rows(explanation.missing_modes, "r", reference_row, system_row);
  picture.off_manifold_total = explanation.off_manifold.size();
  picture.missing_modes_total = explanation.missing_modes.size();
  return picture;
}

}  // namespace markeval
