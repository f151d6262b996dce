// Centre, unit and codes of the sets, and the way of one tile through the filter: limits, product, bounds.
//
// What must hold (docs/background/exactness.md, steps 1, 5 and 8): a limit is never below the coded distance
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

  /// Of a row with the worst of a block or with one row.
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

PairFilter::PairFilter(std::span<const Points> sets, std::size_t expected_neighbours, Method method,
                       const PairOperations& pairs, compute::Device& device, const RunContext& context)
    : sets_(sets.begin(), sets.end()), pairs_(pairs), device_(device), centre_(sets.front().columns()) {
  std::size_t rows = 0;
  for (const Points& set : sets_) {
    rows += set.rows();
    largest_rows_ = std::max(largest_rows_, set.rows());
  }
  // The mean of everything, summed by blocks in a fixed order; any centre is right, a central one keeps the
  // codes fine.
  for (const Points& set : sets_) {
    for_row_blocks<std::vector<double>>(
        set, context,
        [&](const auto& view, std::vector<double>& sum) {
          sum.resize(centre_.size());
          for (std::size_t row = 0; row < view.rows(); ++row) {
            const auto* const values = view.row(row).data();
            for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<double>(values[i]);
          }
        },
        [&](const std::vector<double>& sum) {
          for (std::size_t i = 0; i < sum.size(); ++i) centre_[i] += sum[i];
        });
  }
  for (double& value : centre_) value /= static_cast<double>(rows);

  // A power of two, so that scaling is exact, that brings the largest coordinate near 1.
  double largest = 0;
  for (const Points& set : sets_) {
    for_row_blocks<double>(
        set, context,
        [&](const auto& view, double& most) {
          for (std::size_t row = 0; row < view.rows(); ++row) {
            const auto* const values = view.row(row).data();
            double lanes[4] = {};
            for (std::size_t i = 0; i < centre_.size(); ++i) {
              const double offset = std::fabs(static_cast<double>(values[i]) - centre_[i]);
              lanes[i % 4] = lanes[i % 4] < offset ? offset : lanes[i % 4];
            }
            most = std::max({most, lanes[0], lanes[1], lanes[2], lanes[3]});
          }
        },
        [&](double most) { largest = std::max(largest, most); });
  }
  if (largest > 0) {  // a power of two that brings the largest offset to at most 1
    int exponent = 0;
    const bool is_power = std::frexp(largest, &exponent) == 0.5;
    unit_ = std::ldexp(1.0, is_power ? 1 - exponent : -exponent);
  }

  for (const Points& set : sets_) {
    order_.emplace_back(set.rows());
    std::iota(order_.back().begin(), order_.back().end(), 0u);
  }
  coded_.resize(sets_.size());
  method_ = "int8";
  if (method != Method::product) choose_cascade(expected_neighbours, method == Method::cascade, context);
  for (std::size_t set = 0; set < sets_.size(); ++set) code_full(set, context);
}

void PairFilter::centred_row(std::size_t set, std::size_t row, float* out) const {
  sets_[set].visit([&](const auto& view) {
    const auto* const values = view.row(row).data();
    for (std::size_t i = 0; i < centre_.size(); ++i) {
      out[i] = static_cast<float>((static_cast<double>(values[i]) - centre_[i]) * unit_);
    }
  });
}

void PairFilter::code_full(std::size_t set, const RunContext& context) {
  const std::size_t columns = centre_.size();
  const std::size_t rows = sets_[set].rows();
  CodeBuilder builder(rows, columns);
  std::vector<AlignedBuffer<float>> scratch;
  for (std::size_t worker = 0; worker < context.pool.size(); ++worker) scratch.emplace_back(columns);
  context.pool.for_each((rows + kBlockRows - 1) / kBlockRows, [&](std::size_t block, std::size_t worker) {
    context.check_cancelled();
    float* const values = scratch[worker].data();
    for (std::size_t place = block * kBlockRows; place < std::min(rows, (block + 1) * kBlockRows); ++place) {
      centred_row(set, row(set, place), values);
      // Subtracting the centre rounds once in double, storing rounds once to float.
      builder.set_row(place, values, 1e-37, 1.1 * kFloatRounding);
    }
  });
  coded_[set].full = builder.finish(pairs_);
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
    for (std::size_t place = begin; place < end; ++place) {
      out[place - begin] = limit(reach[place - begin], PairErrors(mine, place, worst));
    }
  };
  find(query, base.blocks[tile.base_begin / kBlockRows], query_reach_.data(), tile.query_begin,
       tile.query_end, query_limits_.data());
  find(base, query.blocks[tile.query_begin / kBlockRows], base_reach_.data(), tile.base_begin, tile.base_end,
       base_limits_.data());
}

std::span<const FilteredPair> PairFilter::select(std::size_t query_set, std::size_t base_set,
                                                 const Tile& tile, std::span<const float> query_reach,
                                                 std::span<const float> base_reach,
                                                 TileScratch& scratch) const {
  assert(tile.query_begin / kBlockRows == (tile.query_end - 1) / kBlockRows);
  assert(tile.base_begin / kBlockRows == (tile.base_end - 1) / kBlockRows);
  const Coded& query = coded_[query_set];
  const Coded& base = coded_[base_set];
  for (std::size_t place = tile.query_begin; place < tile.query_end; ++place) {
    scratch.query_reach_[place - tile.query_begin] = query_reach[row(query_set, place)];
  }
  for (std::size_t place = tile.base_begin; place < tile.base_end; ++place) {
    scratch.base_reach_[place - tile.base_begin] = base_reach[row(base_set, place)];
  }
  const CodedSet& first_query = cascade_ ? query.head : query.full;
  const CodedSet& first_base = cascade_ ? base.head : base.full;
  scratch.find_limits(first_query, first_base, tile);
  const std::size_t count =
      pairs_.select(*first_query.rows, *first_base.rows, tile,
                    std::span(scratch.query_limits_).first(tile.query_end - tile.query_begin),
                    std::span(scratch.base_limits_).first(tile.base_end - tile.base_begin), scratch.pairs_);
  if (cascade_ && count > 0) {
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
    scratch.result_.push_back({static_cast<std::uint32_t>(row(query_set, pair.query)),
                               static_cast<std::uint32_t>(row(base_set, pair.base)), bounds.lower,
                               bounds.upper});
  }
  return scratch.result_;
}

}  // namespace markeval::geometry::cpu
