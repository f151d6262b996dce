// Drawing without replacement by a seeded stream, and copies of the drawn rows.
#include "score/drawn_units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/random.hpp"

namespace markeval::score {
namespace {

constexpr std::uint64_t kSampleStream = std::uint64_t{1} << 41;  ///< splits have the small numbers

std::vector<std::uint32_t> rows_of(const SampleSet& set, std::span<const std::uint32_t> units) {
  if (set.unit_begins.empty()) return {units.begin(), units.end()};
  std::vector<std::uint32_t> rows;
  for (const std::uint32_t unit : units) {
    const std::size_t end = unit + 1 < set.units() ? set.unit_begins[unit + 1] : set.rows;
    for (std::size_t row = set.unit_begins[unit]; row < end; ++row)
      rows.push_back(static_cast<std::uint32_t>(row));
  }
  return rows;
}

}  // namespace

std::vector<std::uint32_t> draw_units(std::size_t all, std::size_t count, std::uint64_t seed,
                                      std::uint64_t stream) {
  std::vector<std::uint32_t> units(all);
  std::iota(units.begin(), units.end(), 0U);
  RandomStream random(seed, stream);
  for (std::size_t i = 0; i < count; ++i)
    std::swap(units[i], units[i + static_cast<std::size_t>(random.below(all - i))]);
  units.resize(count);
  std::ranges::sort(units);
  return units;
}

std::vector<std::uint32_t> draw_sample(std::size_t all, const ScoreRequest& request,
                                       const std::string& name) {
  if (all < request.sample)
    throw_invalid(fmt::format("{} has {} rows, but the sample is to have {}", name, all, request.sample));
  return draw_units(all, request.sample, request.seed, kSampleStream);
}

std::vector<std::uint32_t> units_without(std::size_t all, std::span<const std::uint32_t> drawn) {
  std::vector<std::uint32_t> units(all), rest;
  std::iota(units.begin(), units.end(), 0U);
  std::set_difference(units.begin(), units.end(), drawn.begin(), drawn.end(), std::back_inserter(rest));
  return rest;
}

DrawnSet::DrawnSet(geometry::SetEngine& engine, const SampleSet& set, std::span<const std::uint32_t> units,
                   std::string name)
    : name_(std::move(name)), id_(engine, engine.subset(set.id, rows_of(set, units))) {}

}  // namespace markeval::score
