#include "api/drawn_units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "base/random.hpp"

namespace markeval {
namespace {

constexpr std::uint64_t kSampleStream = std::uint64_t{1} << 41;  ///< splits have the small numbers

}  // namespace

std::size_t units_of(const metric::SampleSet& set) {
  return set.unit_begins.empty() ? set.points.rows() : set.unit_begins.size();
}

std::vector<std::uint32_t> draw_places(std::size_t all, std::size_t count, std::uint64_t seed,
                                       std::uint64_t stream) {
  std::vector<std::uint32_t> places(all);
  std::iota(places.begin(), places.end(), 0U);
  RandomStream random(seed, stream);
  for (std::size_t i = 0; i < count; ++i)
    std::swap(places[i], places[i + static_cast<std::size_t>(random.below(all - i))]);
  places.resize(count);
  std::sort(places.begin(), places.end());
  return places;
}

std::vector<std::uint32_t> draw_sample(std::size_t all, const ScoreRequest& request,
                                       const std::string& name) {
  if (all < request.sample)
    throw_invalid(fmt::format("{} has {} rows, but the sample is to have {}", name, all, request.sample));
  return draw_places(all, request.sample, request.seed, kSampleStream);
}

std::vector<std::uint32_t> places_without(std::size_t all, std::span<const std::uint32_t> drawn) {
  std::vector<std::uint32_t> places(all), rest;
  std::iota(places.begin(), places.end(), 0U);
  std::set_difference(places.begin(), places.end(), drawn.begin(), drawn.end(), std::back_inserter(rest));
  return rest;
}

metric::SampleSet DrawnUnits::copy(const metric::SampleSet& set, std::span<const std::uint32_t> units,
                                   std::string name) {
  const std::size_t all = units_of(set);
  const auto begin = [&](std::size_t unit) { return set.unit_begins.empty() ? unit : set.unit_begins[unit]; };
  const auto end = [&](std::size_t unit) { return unit + 1 < all ? begin(unit + 1) : set.points.rows(); };
  return set.points.visit([&](const auto& view) {
    using Value = std::remove_const_t<std::remove_reference_t<decltype(view.row(0)[0])>>;
    std::size_t rows = 0;
    for (const std::uint32_t unit : units) rows += end(unit) - begin(unit);
    AlignedBuffer<Value> values(rows * view.columns());
    Value* out = values.begin();
    for (const std::uint32_t unit : units) {
      for (std::size_t row = begin(unit); row < end(unit); ++row)
        out = std::copy(view.row(row).begin(), view.row(row).end(), out);
    }
    const MatrixView<const Value> drawn_view(values.data(), rows, view.columns());
    values_ = std::move(values);
    return metric::SampleSet{std::move(name), drawn_view, {}};
  });
}

}  // namespace markeval
