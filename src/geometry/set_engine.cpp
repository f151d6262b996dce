// The parts every engine shares, and the table of engines.
#include "geometry/set_engine.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "geometry/cpu/cpu_set_engine.hpp"

namespace markeval::geometry {
namespace {

/// Makes the engine of a kind of device; null for a device of another kind.
using EngineFactory = std::unique_ptr<SetEngine> (*)(compute::Device& device, Method method);

constexpr EngineFactory kEngines[] = {cpu::make_engine};

void add_counts(BallCounts& to, const BallCounts& from) {
  for (std::size_t i = 0; i < to.hits.size(); ++i) to.hits[i] += from.hits[i];
  for (std::size_t i = 0; i < to.covered.size(); ++i) to.covered[i] |= from.covered[i];
}

}  // namespace

std::vector<double> NeighbourLists::squared_radii(std::size_t nearest) const {
  std::vector<double> radii(rows());
  for (std::size_t row = 0; row < radii.size(); ++row) radii[row] = squared_radius(row, nearest);
  return radii;
}

std::uint64_t BallCounts::total_hits() const {
  return std::accumulate(hits.begin(), hits.end(), std::uint64_t{0});
}

std::uint64_t BallCounts::total_covered() const {
  return std::accumulate(covered.begin(), covered.end(), std::uint64_t{0});
}

void CrossCounts::add(const CrossCounts& part) {
  add_counts(reference_balls, part.reference_balls);
  add_counts(evaluated_balls, part.evaluated_balls);
}

CrossCounts no_counts(const BallRequest& request, std::size_t reference_rows, std::size_t evaluated_rows) {
  const auto balls = [](std::size_t centres, std::size_t points) {
    return BallCounts{std::vector<std::uint32_t>(centres), std::vector<std::uint8_t>(points)};
  };
  return {request, balls(reference_rows, evaluated_rows), balls(evaluated_rows, reference_rows)};
}

void PairWork::advance(std::uint64_t pairs) {
  done_ += pairs;
  if (context.progress == nullptr) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock.owns_lock()) context.report_progress(stage_, std::min<std::uint64_t>(done_, total_), total_);
}

std::unique_ptr<SetEngine> make_set_engine(compute::Device& device, Method method) {
  for (const EngineFactory make : kEngines) {
    if (auto engine = make(device, method)) return engine;
  }
  throw Error(ErrorCode::io, "device " + device.name() + " cannot compare sets of points");
}

}  // namespace markeval::geometry
