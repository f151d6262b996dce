// The table of sets, what is made for them, and which way a comparison takes: lists of the parents, the
// filter, or every pair in double.
#include "geometry/cpu/cpu_set_engine.hpp"

#include <fmt/format.h>

#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/error.hpp"
#include "base/sum_of_squares.hpp"
#include "geometry/cpu/gaussian.hpp"
#include "geometry/cpu/kmeans.hpp"
#include "geometry/cpu/principal_axes.hpp"

namespace markeval::geometry::cpu {
namespace {

// Up to so many multiplications a plain double loop is done before a filter is set up.
constexpr double kDirectWork = 3e7;
// Squares of much smaller values vanish in double, and a filter would see differences the definition does
// not.
constexpr double kSmallestSpread = 1e-140;
// Squares of larger values would overflow double.
constexpr double kLargestValue = 1e150;
// Where no value is larger, squared distances lose their digits, and vanish at last.
constexpr double kSmallestScale = 1e-145;
// A filter's centre may be so far from the mean of two sets, in squares of their spread: beyond, codes are
// coarse.
constexpr double kMostShift = 0.25;
// Values of so many units are far from overflowing float.
constexpr double kMostUnits = 0x1.0p20;

// Magnitudes are ordered as their bits are, with infinity and NaN on top.
std::uint64_t magnitude_bits(double value) {
  return std::bit_cast<std::uint64_t>(value) & ~(std::uint64_t{1} << 63);
}
std::uint32_t magnitude_bits(float value) {
  return std::bit_cast<std::uint32_t>(value) & 0x7fffffffu;
}
double from_bits(std::uint64_t bits) {
  return std::bit_cast<double>(bits);
}
double from_bits(std::uint32_t bits) {
  return static_cast<double>(std::bit_cast<float>(bits));
}

/// Throws where the largest magnitude does not allow distances.
void check_magnitude(double largest, const Points& points, const std::string& what) {
  if (largest > 0 && largest < kSmallestScale) {
    throw_invalid(
        fmt::format("{}: its values are too small: the largest is {:.3g}, whose square is 0 to a "
                    "computer; multiply all rows by one number",
                    what, largest));
  }
  if (largest <= kLargestValue) return;
  points.visit([&](const auto& view) {
    for (std::size_t row = 0; row < view.rows(); ++row) {
      for (std::size_t column = 0; column < view.columns(); ++column) {
        const double value = static_cast<double>(view(row, column));
        if (std::fabs(value) <= kLargestValue) continue;
        const std::string cell = fmt::format("{}: row {}, column {}", what, row + 1, column + 1);
        if (std::isnan(value)) throw_invalid(cell + " is not a number");
        if (std::isinf(value)) throw_invalid(cell + " is infinite");
        throw_invalid(cell + " is larger than 1e150: its square does not fit a double");
      }
    }
  });
}

}  // namespace

SetId CpuSetEngine::keep(CpuSet set) {
  const SetId id{next_++};
  sets_.emplace(id, std::move(set));
  return id;
}

SetId CpuSetEngine::add(Points points, std::string name) {
  assert(points.rows() > 0);
  return keep(
      {.name = std::move(name), .rows = points.rows(), .columns = points.columns(), .points = points});
}

SetId CpuSetEngine::subset(SetId set, std::span<const std::uint32_t> rows) {
  const CpuSet& parent = sets_.at(set);
  assert(!rows.empty() && std::is_sorted(rows.begin(), rows.end()) && rows.back() < parent.rows);
  return keep({.name = parent.name,
               .rows = rows.size(),
               .columns = parent.columns,
               .points = {},
               .parent = set,
               .chosen = SubsetRows(rows, parent.rows)});
}

void CpuSetEngine::drop(SetId set) {
  std::erase_if(known_,
                [&](const auto& known) { return known.first.first == set || known.first.second == set; });
  sets_.erase(set);
}

void CpuSetEngine::read_row(SetId id, std::size_t row, std::span<double> out) const {
  const CpuSet& set = sets_.at(id);
  if (set.points) return set.points->copy_row(row, out);
  read_row(*set.parent, set.chosen.rows[row], out);
}

const Points& CpuSetEngine::points_of(CpuSet& set) {
  if (set.points) return *set.points;
  points_of(sets_.at(*set.parent)).visit([&](const auto& view) {
    using Value = std::remove_cvref_t<decltype(view.row(0)[0])>;
    AlignedBuffer<Value> values(set.rows * set.columns);
    Value* out = values.begin();
    for (const std::uint32_t row : set.chosen.rows)
      out = std::copy(view.row(row).begin(), view.row(row).end(), out);
    set.points = MatrixView<const Value>(values.data(), set.rows, set.columns);
    set.copies = std::move(values);
  });
  return *set.points;
}

const CpuSetEngine::ValueFacts& CpuSetEngine::facts_of(CpuSet& set, const RunContext& context) {
  if (set.parent) return facts_of(sets_.at(*set.parent), context);  // much the same
  if (set.facts) return *set.facts;
  struct BlockFacts {
    double largest = 0, squares = 0;
    std::vector<double> sums;
  };
  ValueFacts facts;
  facts.mean.assign(set.columns, 0);
  for_row_blocks<BlockFacts>(
      points_of(set), context,
      [&](const auto& view, BlockFacts& found) {
        auto bits = magnitude_bits(*view.data());
        found.sums.assign(set.columns, 0);
        for (std::size_t row = 0; row < view.rows(); ++row) {
          const auto* const values = view.row(row).data();
          double lanes[8] = {};
          for (std::size_t i = 0; i < set.columns; ++i) {
            bits = std::max(bits, magnitude_bits(values[i]));
            const auto value = static_cast<double>(values[i]);
            found.sums[i] += value;
            lanes[i % 8] += value * value;
          }
          for (const double lane : lanes) found.squares += lane;
        }
        found.largest =
            std::isnan(from_bits(bits)) ? std::numeric_limits<double>::infinity() : from_bits(bits);
      },
      [&](const BlockFacts& found) {
        facts.largest_magnitude = std::max(facts.largest_magnitude, found.largest);
        facts.mean_square += found.squares / static_cast<double>(set.rows);
        for (std::size_t i = 0; i < set.columns; ++i)
          facts.mean[i] += found.sums[i] / static_cast<double>(set.rows);
      });
  check_magnitude(facts.largest_magnitude, points_of(set), set.name);
  set.facts = std::move(facts);
  return *set.facts;
}

const Points& CpuSetEngine::checked_points(SetId id, const RunContext& context) {
  CpuSet& set = sets_.at(id);
  facts_of(set, context);
  return points_of(set);
}

bool CpuSetEngine::take_direct(TwoSets sets, const RunContext& context) {
  if (sets.query.coded && sets.query.filter == sets.base.filter) return false;
  const double rows = static_cast<double>(std::max(sets.query.rows, sets.base.rows));
  const bool small = rows * rows * static_cast<double>(sets.query.columns) < kDirectWork;
  if (method_ == Method::direct || (method_ == Method::automatic && small)) return true;
  return std::max(facts_of(sets.query, context).largest_magnitude,
                  facts_of(sets.base, context).largest_magnitude) < kSmallestSpread;
}

CpuSetEngine::ValueFacts CpuSetEngine::facts_of(TwoSets sets, const RunContext& context) {
  const ValueFacts &first = facts_of(sets.query, context), &second = facts_of(sets.base, context);
  const double share = share_of(sets.query.rows, sets.query.rows + sets.base.rows);
  ValueFacts both{std::max(first.largest_magnitude, second.largest_magnitude), first.mean,
                  share * first.mean_square + (1 - share) * second.mean_square};
  for (std::size_t i = 0; i < both.mean.size(); ++i)
    both.mean[i] = share * first.mean[i] + (1 - share) * second.mean[i];
  return both;
}

/// Any filter is right; this one is about as good as one made for the sets.
bool CpuSetEngine::suits(const PairFilter& filter, const ValueFacts& facts) {
  const std::span<const double> centre = filter.centre();
  if (centre.size() != facts.mean.size()) return false;
  double shift = 0, mean_square = 0, farthest = 0;
  for (std::size_t i = 0; i < centre.size(); ++i) {
    const double mean = facts.mean[i];
    shift += (mean - centre[i]) * (mean - centre[i]);
    mean_square += mean * mean;
    farthest = std::max(farthest, facts.largest_magnitude + std::fabs(centre[i]));
  }
  return shift <= kMostShift * (facts.mean_square - mean_square) && farthest * filter.unit() < kMostUnits;
}

void CpuSetEngine::code(CpuSet& set, const std::shared_ptr<const PairFilter>& filter,
                        const RunContext& context) {
  if (set.coded && set.filter == filter) return;
  const CpuSet* const parent = set.parent ? &sets_.at(*set.parent) : nullptr;
  set.coded = parent != nullptr && parent->coded && parent->filter == filter
                  ? filter->code_subset(*parent->coded, set.chosen, points_of(set))
                  : filter->code(points_of(set), context);
  set.filter = filter;
}

const PairFilter* CpuSetEngine::way_through(TwoSets sets, std::size_t largest_k, const RunContext& context) {
  if (take_direct(sets, context)) return nullptr;
  const ValueFacts facts = facts_of(sets, context);
  std::shared_ptr<const PairFilter> chosen;
  for (const auto& filter : {sets.query.filter, sets.base.filter, filter_}) {
    if (!chosen && filter && suits(*filter, facts)) chosen = filter;
  }
  if (!chosen) {
    std::vector<Points> points{points_of(sets.query)};
    if (&sets.query != &sets.base) points.push_back(points_of(sets.base));
    const FilteredSets chosen_for{points, facts.mean, facts.largest_magnitude, largest_k};
    chosen = std::make_shared<const PairFilter>(chosen_for, method_, pairs_, device_, context);
    filter_ = chosen;
  }
  code(sets.query, chosen, context);
  code(sets.base, chosen, context);
  return chosen.get();
}

void CpuSetEngine::prepare(SetId reference, SetId evaluated, std::size_t largest_k,
                           const RunContext& context) {
  CpuSet &first = sets_.at(reference), &second = sets_.at(evaluated);
  facts_of(first, context);
  facts_of(second, context);
  if (!know_pairs(first, second, largest_k, context)) way_through({first, second}, largest_k, context);
}

std::vector<PairFilter::TileScratch>& CpuSetEngine::scratch(const RunContext& context) {
  if (scratch_.size() < context.pool.size()) scratch_.resize(context.pool.size());
  return scratch_;
}

std::vector<Clustering> CpuSetEngine::cluster(std::span<const SetId> sets, const ClusterRequest& request,
                                              const RunContext& context) {
  std::vector<Points> points;
  for (const SetId set : sets) points.push_back(checked_points(set, context));
  const Clusterer clusterer(points, device_.products(), context);
  std::vector<Clustering> clusterings;
  for (std::size_t run = 0; run < request.runs; ++run) {
    context.report_progress("clusters", run, request.runs);
    clusterings.push_back(clusterer.run(request.clusters, RandomStream(request.seed, run), context));
  }
  context.report_progress("clusters", request.runs, request.runs);
  return clusterings;
}

SpanSums CpuSetEngine::sums(SetId set, RowRange range, const RunContext& context) {
  return column_sums(checked_points(set, context), range, context);
}

SpanSums CpuSetEngine::squares(SetId set, std::span<const double> mean, RowRange range,
                               const RunContext& context) {
  return centred_squares(points_of(sets_.at(set)), mean, range, device_.products(), context);
}

const Gaussian& CpuSetEngine::gaussian_of(SetId id, const RunContext& context) {
  CpuSet& set = sets_.at(id);
  if (!set.gaussian) set.gaussian = fit_gaussian(checked_points(id, context), device_.products(), context);
  return *set.gaussian;
}

FrechetDistance CpuSetEngine::frechet(SetId a, SetId b, const RunContext& context) {
  context.report_progress("covariances", 0, 3);
  CpuSet &first = sets_.at(a), &second = sets_.at(b);
  const auto [fewest, most] = std::minmax(first.rows, second.rows);
  FrechetDistance distance;
  if (most < first.columns || fewest < 2) {
    distance =
        squared_frechet_distance(checked_points(a, context), checked_points(b, context), device_.products());
  } else {
    const Gaussian& of_first = gaussian_of(a, context);
    context.report_progress("covariances", 1, 3);
    const Gaussian& of_second = gaussian_of(b, context);
    context.report_progress("covariances", 2, 3);
    distance = squared_frechet_distance(of_first, of_second, device_.products(), context);
  }
  context.report_progress("covariances", 3, 3);
  return distance;
}

SetAxes CpuSetEngine::axes(SetId set, std::size_t count, const RunContext& context) {
  context.check_cancelled();
  return set_axes(checked_points(set, context), count, device_.products());
}

std::unique_ptr<SetEngine> make_engine(compute::Device& device, Method method) {
  const PairOperations* const pairs = compute::cpu::pair_operations(device);
  return pairs == nullptr ? nullptr : std::make_unique<CpuSetEngine>(*pairs, device, method);
}

}  // namespace markeval::geometry::cpu
