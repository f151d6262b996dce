// Centre, unit and codes of the sets, and the way of one tile through the filter: limits, product, bounds.
//
// What must hold (docs/background/exactness.md, steps 1, 5 and 7): a limit is never below the coded distance
// of a pair within reach, and lower and upper enclose the true distance. kUp and kDown leave room for the
// roundings of these formulas; a new operation in them needs a look at that room.
#include "geometry/cpu/pair_filter.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

namespace markeval::geometry::cpu {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
// Room for the roundings of the bounds themselves, in float.
constexpr float kUp = 1 + 4e-6f;
constexpr float kDown = 1 - 4e-6f;

/// How far a coded squared distance may be from the true one beyond what the slacks say: coding.hpp.
struct PairErrors {
  float slack;   ///< of the distance
  float square;  ///< of its square, where that is less
  float coded;   ///< of the coded squared distance itself, which is computed in float32

  /// Errors of a row with the worst of a block or with one row.
  PairErrors(const CodedSet& set, std::size_t row, const CodedSet::BlockMaxima& other)
      : slack((set.slack[row] + other.slack) * kUp),
        square((2 * (set.length[row] * other.slack + set.slack[row] * other.length) + set.square_error[row] +
                other.square_error) *
               kUp),
        coded(kCodedError * (set.squared_norm[row] + other.squared_norm) * kUp) {}
};

CodedSet::BlockMaxima single(const CodedSet& set, std::size_t row) {
  return {set.slack[row], set.squared_norm[row], set.length[row], set.square_error[row]};
}

/// The largest coded squared distance that a pair within `reach` can have.
float limit(float reach, const PairErrors& errors) {
  const float distance = (reach + errors.slack) * kUp;
  const float square = (std::min(distance * distance, reach * reach + errors.square) + errors.coded) * kUp;
  return reach < 0 ? -kInfinity : square;
}

/// What the coded squared distance says about the distance.
struct Bounds {
  float lower, upper;
};
Bounds bounds_of(float squared_distance, const PairErrors& errors) {
  const float least = std::max(0.0f, squared_distance - errors.coded);
  const float most = std::max(0.0f, squared_distance + errors.coded);
  // Which of the two is tighter? Only a guess, either is right.
  if (4 * errors.slack * errors.slack * most < errors.square * errors.square) {
    const float low = std::sqrt(least) * kDown - errors.slack;
    return {std::max(0.0f, low * kDown), (std::sqrt(most) + errors.slack) * kUp};
  }
  const float low = least * kDown - errors.square;
  return {std::sqrt(std::max(0.0f, low * kDown)) * kDown, std::sqrt((most + errors.square) * kUp) * kUp};
}

}  // namespace

PairFilter::PairFilter(const FilteredSets& given, Method method, const PairOperations& pairs,
                       compute::Device& device, const RunContext& context)
    : pairs_(pairs), device_(device), centre_(given.centre), method_("int8") {
  std::size_t largest_rows = 0;
  for (const Points& set : given.sets) largest_rows = std::max(largest_rows, set.rows());
  double farthest = 0;  // no offset from the centre is larger
  for (const double value : centre_) farthest = std::max(farthest, given.largest + std::fabs(value));
  // A power of two, so that scaling is exact, that brings every offset to at most 1.
  int exponent = 0;
  if (farthest > 0) std::frexp(farthest, &exponent);
  unit_ = std::ldexp(1.0, -exponent);

  if (method != Method::product)
    choose_cascade({given.sets, largest_rows, given.expected_neighbours, context}, method == Method::cascade);
}

void PairFilter::centred_row(const Points& points, std::size_t row, float* out) const {
  points.visit([&](const auto& view) {
    const auto* const values = view.row(row).data();
    for (std::size_t i = 0; i < centre_.size(); ++i) {
      out[i] = static_cast<float>((static_cast<double>(values[i]) - centre_[i]) * unit_);
    }
  });
}

CodedPoints PairFilter::code(Points points, const RunContext& context) const {
  CodedPoints coded{points, {}, {}, {}};
  if (cascade_) {
    const Projection rows = project(points, context);
    coded.order = find_order(rows.coordinates.view());
    coded.head = code_head(rows, coded.order, context);
  } else {
    coded.order.resize(points.rows());
    std::iota(coded.order.begin(), coded.order.end(), 0u);
  }
  coded.full = code_full(coded, context);
  return coded;
}

CodedPoints PairFilter::code_subset(const CodedPoints& whole, const SubsetRows& subset, Points points) const {
  CodedPoints coded{points, {}, {}, {}};
  std::vector<std::uint32_t> slots;
  for (std::uint32_t slot = 0; slot < whole.rows(); ++slot) {
    const std::uint32_t row = subset.index_of[whole.order[slot]];
    if (row == SubsetRows::kAbsent) continue;
    slots.push_back(slot);
    coded.order.push_back(row);
  }
  coded.full = whole.full.gather(slots, pairs_);
  if (whole.head.rows) coded.head = whole.head.gather(slots, pairs_);
  return coded;
}

CodedSet PairFilter::code_full(const CodedPoints& coded, const RunContext& context) const {
  const std::size_t columns = centre_.size(), rows = coded.rows();
  CodeBuilder builder(rows, columns);
  std::vector<AlignedBuffer<float>> scratch;
  for (std::size_t worker = 0; worker < context.pool.size(); ++worker) scratch.emplace_back(columns);
  context.pool.for_each((rows + kBlockRows - 1) / kBlockRows, [&](std::size_t block, std::size_t worker) {
    context.check_cancelled();
    float* const values = scratch[worker].data();
    for (std::size_t slot = block * kBlockRows; slot < std::min(rows, (block + 1) * kBlockRows); ++slot) {
      centred_row(coded.points, coded.order[slot], values);
      // Subtracting the centre rounds once in double, storing rounds once to float.
      builder.set_row(slot, values, 1e-37, 1.1 * kFloatRounding);
    }
  });
  return builder.finish(pairs_);
}

PairFilter::TileScratch::TileScratch()
    : query_reach_(kBlockRows),
      base_reach_(kBlockRows),
      query_limits_(kBlockRows),
      base_limits_(kBlockRows),
      pairs_(kBlockRows * kBlockRows) {
  result_.reserve(kBlockRows * kBlockRows);
}

void PairFilter::TileScratch::find_limits(const CodedSet& query, const CodedSet& base, const Tile& tile) {
  const auto find = [](const CodedSet& mine, const CodedSet::BlockMaxima worst, const float* reach,
                       std::size_t begin, std::size_t end, float* out) {
    for (std::size_t slot = begin; slot < end; ++slot) {
      out[slot - begin] = limit(reach[slot - begin], PairErrors(mine, slot, worst));
    }
  };
  find(query, base.blocks[tile.base_begin / kBlockRows], query_reach_.data(), tile.query_begin,
       tile.query_end, query_limits_.data());
  find(base, query.blocks[tile.query_begin / kBlockRows], base_reach_.data(), tile.base_begin, tile.base_end,
       base_limits_.data());
}

std::span<const FilteredPair> PairFilter::select(const CodedPoints& query, const CodedPoints& base,
                                                 const Tile& tile, std::span<const float> query_reach,
                                                 std::span<const float> base_reach,
                                                 TileScratch& scratch) const {
  assert(tile.query_begin / kBlockRows == (tile.query_end - 1) / kBlockRows);
  assert(tile.base_begin / kBlockRows == (tile.base_end - 1) / kBlockRows);
  for (std::size_t slot = tile.query_begin; slot < tile.query_end; ++slot) {
    scratch.query_reach_[slot - tile.query_begin] = query_reach[query.order[slot]];
  }
  for (std::size_t slot = tile.base_begin; slot < tile.base_end; ++slot) {
    scratch.base_reach_[slot - tile.base_begin] = base_reach[base.order[slot]];
  }
  const bool by_head = query.head.rows && base.head.rows;
  const auto select_by = [&](const CodedSet& queries, const CodedSet& bases) {
    scratch.find_limits(queries, bases, tile);
    return pairs_.select(*queries.rows, *bases.rows, tile,
                         std::span(scratch.query_limits_).first(tile.query_end - tile.query_begin),
                         std::span(scratch.base_limits_).first(tile.base_end - tile.base_begin),
                         scratch.pairs_);
  };
  std::size_t count = by_head ? select_by(query.head, base.head) : select_by(query.full, base.full);
  if (by_head && static_cast<double>(count) * pairs_.pair_cost() > static_cast<double>(tile.pairs())) {
    count = select_by(query.full, base.full);  // takes less time than so many pairs one by one
  } else if (by_head && count > 0) {
    pairs_.measure(*query.full.rows, *base.full.rows, std::span(scratch.pairs_).first(count));
    scratch.find_limits(query.full, base.full, tile);
  }

  scratch.result_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const CodedPair& pair = scratch.pairs_[i];
    const std::size_t q = pair.query - tile.query_begin, b = pair.base - tile.base_begin;
    // Most pairs of a cascade end here.
    if (pair.squared_distance > std::max(scratch.query_limits_[q], scratch.base_limits_[b])) continue;
    const PairErrors errors(query.full, pair.query, single(base.full, pair.base));
    const Bounds bounds = bounds_of(pair.squared_distance, errors);
    if (bounds.lower > std::max(scratch.query_reach_[q], scratch.base_reach_[b])) continue;
    scratch.result_.push_back({query.order[pair.query], base.order[pair.base], bounds.lower, bounds.upper});
  }
  return scratch.result_;
}

}  // namespace markeval::geometry::cpu
