// How limits become whole numbers. A pair is within a limit L where
//   norm[q] + norm[b] - 2 s_q s_b dot <= L,
// that is, in units of 2 s_q s_b, where  dot + L' - norm'[q] - norm'[b] >= 0. Here L' (a reach) is rounded up
// and the norms down, after the error of the float32 formula has been taken off them.
//
// A sum begins with a number of the query or of the base, whichever reaches farther, so it cannot hold what
// both norms take off. Norms come in as products of codes instead: a row takes off `least` of its tile's side
// for all, and its own part above that in steps of `step`, as a code.
//
// What must hold (docs/background/exactness.md, step 7): every rounding and every cut makes the sum larger,
// never smaller.
#include "compute/cpu/whole_tile.hpp"

#include <algorithm>
#include <cmath>

namespace markeval::compute::cpu {
namespace {

constexpr std::int32_t kNoReach = -(1 << 30);
// Products stay below 2^28, norms are cut there (which lets more pairs through) and reaches at 2^30.
constexpr std::size_t kWidest = (std::size_t{1} << 28) / (127 * 127);
constexpr double kError = static_cast<double>(kCodedError);

// fmin and fmax are single instructions, which std::clamp is not.
std::int32_t whole(double value, double most) {
  return static_cast<std::int32_t>(std::fmin(std::fmax(std::ceil(value) + 1, -most), most));
}

bool all_equal(const float* begin, const float* end) {
  return std::all_of(begin, end, [=](float value) { return value == *begin; });
}

int longest_rest(const CodedRows& rows, std::size_t begin, std::size_t end) {
  std::uint8_t longest = 0;
  for (std::size_t row = begin; row < end; ++row) longest = std::max(longest, rows.rest()[row]);
  return longest;
}

}  // namespace

WholeTile::NormSide::NormSide(const CodedRows& rows, std::size_t begin, std::size_t end, double unit,
                              int other_longest, std::int32_t* taken)
    : taken_off(taken), rests(rows.rest() + begin) {
  const float* const norms = rows.squared_norm() + begin;
  const double weight = (1 - kError) * unit, beyond = 2.0 * other_longest;
  const std::size_t count = end - begin;
  for (std::size_t i = 0; i < count; ++i) {
    const double cut = std::fmax(0, rests[i] - 127.0) * beyond;
    taken[i] = static_cast<std::int32_t>(
        std::floor(std::fmin(static_cast<double>(norms[i]) * weight - cut, 0x1p28)));
  }
  least = taken[0];
  std::int32_t most = taken[0];
  for (std::size_t i = 0; i < count; ++i) {
    least = std::min(least, taken[i]);
    most = std::max(most, taken[i]);
  }
  const std::int32_t size = std::clamp((most - least + 253) / 254, 1, 127);
  step = static_cast<std::int8_t>(size);
  steps = (1 - 1e-6f) / static_cast<float>(size);
}

WholeTile::WholeTile(const CodedRows& query, const CodedRows& base, const Tile& tile, std::size_t first_base,
                     std::size_t base_count, ScratchBuffer& base_scratch)
    : first_query_(tile.query_begin),
      first_base_(first_base),
      base_reach_(base_scratch.get<std::int32_t>(4 * base_count + tile.query_end - tile.query_begin)),
      base_bounds_(reinterpret_cast<std::int8_t*>(base_reach_ + base_count)),
      base_back_(base_bounds_ + base_count * kPairBounds) {
  const auto query_scale = static_cast<double>(query.scale()[tile.query_begin]);
  const auto base_scale = static_cast<double>(base.scale()[tile.base_begin]);
  fits_ = query.kernel().multiply_select != nullptr && query.padded_columns() <= kWidest && query_scale > 0 &&
          base_scale > 0 && all_equal(query.scale() + tile.query_begin, query.scale() + tile.query_end) &&
          all_equal(base.scale() + tile.base_begin, base.scale() + tile.base_end);
  if (!fits_) return;
  unit_ = 0.5 / (query_scale * base_scale);
  int query_longest = longest_rest(query, tile.query_begin, tile.query_end);
  int base_longest = longest_rest(base, tile.base_begin, tile.base_end);
  if (query.padded_columns() >= 2 * kFirstCodes && std::max(query_longest, base_longest) < 255) {
    first_columns_ = kFirstCodes;
  } else {
    query_longest = base_longest = 0;
  }
  auto* const taken = reinterpret_cast<std::int32_t*>(base_back_ + base_count * kPairBounds);
  query_side_ = NormSide(query, tile.query_begin, tile.query_end, unit_, base_longest, taken);
  base_side_ = NormSide(base, tile.base_begin, tile.base_end, unit_, query_longest,
                        taken + (tile.query_end - tile.query_begin));
  offset_ = -query_side_.least - base_side_.least - 127 * (query_side_.step + base_side_.step);
}

std::int32_t WholeTile::reach(float limit) const {
  return whole(static_cast<double>(limit) * unit_, 0x1p30) + offset_;
}

void WholeTile::fill_bases(const Tile& tile, std::span<const float> limits) {
  // Rows of the panels beyond the tile.
  std::fill(base_reach_, reinterpret_cast<std::int32_t*>(base_bounds_), kNoReach);
  std::fill_n(base_bounds_, 2 * (base_back_ - base_bounds_), std::int8_t{0});
  const std::size_t shift = tile.base_begin - first_base_, count = tile.base_end - tile.base_begin;
  for (std::size_t i = 0; i < count; ++i) base_reach_[shift + i] = reach(limits[i]);
  std::int8_t* bounds = base_bounds_ + shift * kPairBounds;
  std::int8_t* back = base_back_ + shift * kPairBounds;
  for (std::size_t row = 0; row < count; ++row) {
    const auto rest = static_cast<std::int8_t>(first_columns_ != 0 ? base_side_.rest_code(row) : 0);
    bounds[0] = bounds[1] = rest;
    back[0] = back[1] = static_cast<std::int8_t>(-rest);
    bounds[2] = query_side_.step;
    bounds[3] = base_side_.norm_code(row);
    bounds += kPairBounds;
    back += kPairBounds;
  }
}

void WholeTile::fill_queries(const CodedRows& query, std::size_t begin, std::size_t end,
                             std::span<const float> limits, ScratchBuffer& scratch) {
  query_reach_ = scratch.get<std::int32_t>(kQueryBlockRows * (kQueryCopies + 1));
  query_bounds_ = reinterpret_cast<std::int8_t*>(query_reach_ + kQueryBlockRows * kQueryCopies);
  const std::size_t count = end - begin;
  const std::size_t panels = round_up(count, query.kernel().query.rows);
  for (std::size_t i = 0; i < count; ++i) {
    std::fill_n(query_reach_ + i * kQueryCopies, kQueryCopies, reach(limits[i]));
  }
  std::fill(query_reach_ + count * kQueryCopies, query_reach_ + panels * kQueryCopies, kNoReach);
  std::int8_t* bounds = query_bounds_;
  for (std::size_t row = begin - first_query_; row < end - first_query_; ++row, bounds += kPairBounds) {
    const auto rest = static_cast<std::int8_t>(first_columns_ != 0 ? query_side_.rest_code(row) : 0);
    bounds[0] = bounds[1] = rest;
    bounds[2] = query_side_.norm_code(row);
    bounds[3] = base_side_.step;
  }
  std::fill(bounds, query_bounds_ + panels * kPairBounds, std::int8_t{0});
}

}  // namespace markeval::compute::cpu
