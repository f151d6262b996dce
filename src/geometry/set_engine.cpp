// The parts every engine shares, and the choice of the engine.
#include "geometry/set_engine.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "compute/cpu/pair_operations.hpp"
#include "geometry/cpu/cpu_set_engine.hpp"

namespace markeval::geometry {

std::uint64_t BallCounts::total_hits() const {
  return std::accumulate(hits.begin(), hits.end(), std::uint64_t{0});
}

std::uint64_t BallCounts::total_covered() const {
  return std::accumulate(covered.begin(), covered.end(), std::uint64_t{0});
}

CrossCounts no_counts(const BallRequest& request, std::size_t reference_rows, std::size_t evaluated_rows) {
  const auto balls = [](std::size_t centres, std::size_t points) {
    return BallCounts{std::vector<std::uint32_t>(centres), std::vector<std::uint8_t>(points)};
  };
  return {request, balls(reference_rows, evaluated_rows), balls(evaluated_rows, reference_rows)};
}

void PairProgress::advance(std::uint64_t pairs) {
  done_ += pairs;
  if (context_.progress == nullptr) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock.owns_lock()) context_.report_progress(stage_, std::min<std::uint64_t>(done_, total_), total_);
}

std::unique_ptr<SetEngine> make_set_engine(const EngineSets& sets, compute::Device& device,
                                           const RunContext& context) {
  if (const auto* const pairs = compute::cpu::pair_operations(device); pairs != nullptr)
    return std::make_unique<cpu::CpuSetEngine>(sets, *pairs, device, context);
  throw Error(ErrorCode::io, "device " + device.name() + " cannot compare sets of points");
}

}  // namespace markeval::geometry
