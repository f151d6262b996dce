// Checks what came in and asks the engine. No pair of rows is looked at here.
#include "geometry/set_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace markeval::geometry {
namespace {

void check_k(std::size_t k, std::size_t rows, const char* what) {
  if (k >= 1 && k < rows) return;
  throw_invalid(fmt::format("{}: k is {}, expected 1 to {} (the set has {} row{})", what, k,
                            rows > 0 ? rows - 1 : 0, rows, rows == 1 ? "" : "s"));
}

}  // namespace

SetComparison compare_sets(SetEngine& engine, SetId reference, SetId evaluated,
                           std::span<const BallRequest> requests, const RunContext& context) {
  if (engine.columns(reference) != engine.columns(evaluated)) {
    throw_invalid(fmt::format("the reference set has {} columns, the evaluated set {}",
                              engine.columns(reference), engine.columns(evaluated)));
  }
  const std::uint64_t r = engine.rows(reference), e = engine.rows(evaluated);
  std::size_t k = 1;
  for (const BallRequest& request : requests) {
    check_k(request.k, r, "reference set");
    check_k(request.k, e, "evaluated set");
    k = std::max(k, request.k);
  }
  engine.prepare(reference, evaluated, k, context);
  PairWork work("comparing the sets", (r * r + e * e) / 2 + r * e, context);
  SetComparison comparison;
  comparison.reference = engine.neighbours(reference, engine.all_rows(reference), k, work);
  comparison.evaluated = engine.neighbours(evaluated, engine.all_rows(evaluated), k, work);
  comparison.counts = engine.counts({reference, comparison.reference}, {evaluated, comparison.evaluated},
                                    requests, engine.all_rows(reference), work);
  comparison.statistics = work.statistics;
  return comparison;
}

std::vector<OutsidePoint> outside_points(SetEngine& engine, SetId centres,
                                         std::span<const double> squared_radius, SetId points,
                                         std::span<const std::uint8_t> covered, const RunContext& context) {
  if (std::find(covered.begin(), covered.end(), std::uint8_t{0}) == covered.end()) return {};
  PairWork work("ranking rows outside", std::uint64_t{engine.rows(points)} * engine.rows(centres), context);
  std::vector<OutsidePoint> result =
      engine.outside(points, covered, centres, squared_radius, engine.all_rows(points), work);
  std::sort(result.begin(), result.end(), [](const OutsidePoint& a, const OutsidePoint& b) {
    return a.gap() != b.gap() ? a.gap() > b.gap() : a.row < b.row;
  });
  return result;
}

}  // namespace markeval::geometry
