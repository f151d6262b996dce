// Which way the engine takes: the filter, or every pair in double.
#include "geometry/cpu/cpu_set_engine.hpp"

namespace markeval::geometry::cpu {
namespace {

// Up to so many multiplications a plain double loop is done before a filter is set up.
constexpr double kDirectWork = 3e7;
// Squares of much smaller values vanish in double, and a filter would see differences the definition does
// not.
constexpr double kSmallestSpread = 1e-140;

bool use_direct(const EngineSets& sets) {
  double rows = 0;
  for (const Points& set : sets.sets) rows = std::max(rows, static_cast<double>(set.rows()));
  const bool small = rows * rows * static_cast<double>(sets.sets.front().columns()) < kDirectWork;
  return sets.method == Method::direct || (sets.method == Method::automatic && small) ||
         sets.largest_magnitude < kSmallestSpread;
}

}  // namespace

CpuSetEngine::CpuSetEngine(const EngineSets& sets, const PairOperations& pairs, compute::Device& device,
                           const RunContext& context)
    : sets_(sets.sets), context_(context) {
  if (use_direct(sets)) return;
  filter_.emplace(sets_, sets.largest_k, sets.method, pairs, device, context);
  scratch_.resize(context.pool.size());
}

}  // namespace markeval::geometry::cpu
