// How a list stays short. Three kinds of knowledge about a candidate, each dearer than the one before: the
// bounds of the filter, the bounds of a float32 distance (`sharpen`), the distance in double (`refine`). A
// list is sharpened or refined when it is full, and once more at the end. docs/background/exactness.md, step
// 8, says why nothing that belongs in the list is dropped.
#include "geometry/cpu/candidate_lists.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace markeval::geometry::cpu {
namespace {

// Room for rounding a distance to float.
constexpr double kRoundedUp = 1 + 1e-6;
constexpr double kRoundedDown = 1 - 1e-6;

}  // namespace

CandidateLists::CandidateLists(Points points, RowRange range, std::size_t k, double unit)
    : direct_(points, points),
      range_(range),
      k_(k),
      capacity_(std::max<std::size_t>(96, 4 * k)),
      unit_(unit),
      rows_(range.size()),
      reach_(points.rows(), -1),
      waiting_(range.size() * capacity_),
      measured_(range.size() * k),
      uppers_(range.size() * k) {
  std::fill_n(reach_.begin() + static_cast<std::ptrdiff_t>(range.begin), range.size(),
              std::numeric_limits<float>::infinity());
}

void CandidateLists::look_around(std::size_t row, std::size_t window) {
  std::vector<double> squares;
  for (std::size_t other = row > window ? row - window : 0; other < std::min(reach_.size(), row + window + 1);
       ++other) {
    if (other != row) squares.push_back(direct_.bounds(row, other).upper);
  }
  if (squares.size() < k_) return;
  std::nth_element(squares.begin(), squares.begin() + static_cast<std::ptrdiff_t>(k_ - 1), squares.end());
  reach_[row] = std::min(reach_[row], static_cast<float>(std::sqrt(squares[k_ - 1]) * unit_ * kRoundedUp));
}

void CandidateLists::add(std::size_t row, std::uint32_t other, float lower, float upper) {
  if (lower > reach_[row]) return;
  RowList& state = list(row);
  if (state.measured == k_) {
    // k identical rows found: a later identical row cannot displace them. Keeps masses of duplicates cheap.
    const Neighbour& last = measured(row)[k_ - 1];
    if (last.squared_distance == 0 && other > last.row) return;
  }
  if (state.waiting == capacity_) {
    // Measuring early is waste while the reach is still wide, so lists are let grow before that.
    drop_beyond_reach(row);
    if (state.waiting > capacity_ / 2) sharpen(row);
    if (state.waiting > capacity_ / 2) refine(row);  // ties beyond what float32 can tell apart
    if (lower > reach_[row]) return;
  }
  waiting(row)[state.waiting++] = {other, lower, upper};
  lower_reach(row, upper);
}

// k others are surely within the k-th smallest upper bound.
void CandidateLists::lower_reach(std::size_t row, float upper) {
  RowList& state = list(row);
  float* const heap = uppers(row);
  if (state.bounded == k_) {
    if (upper >= heap[0]) return;
    std::pop_heap(heap, heap + k_);
    heap[k_ - 1] = upper;
  } else {
    heap[state.bounded++] = upper;
  }
  std::push_heap(heap, heap + state.bounded);
  if (state.bounded == k_) reach_[row] = std::min(reach_[row], heap[0]);
}

// Anew, after bounds have changed.
void CandidateLists::collect_uppers(std::size_t row) {
  RowList& state = list(row);
  state.bounded = 0;
  for (std::uint32_t i = 0; i < state.measured; ++i) {
    lower_reach(row, static_cast<float>(std::sqrt(measured(row)[i].squared_distance) * unit_ * kRoundedUp));
  }
  for (std::uint32_t i = 0; i < state.waiting; ++i) lower_reach(row, waiting(row)[i].upper);
}

void CandidateLists::drop_beyond_reach(std::size_t row) {
  RowList& state = list(row);
  std::uint32_t kept = 0;
  std::uint32_t kept_sharp = 0;
  for (std::uint32_t i = 0; i < state.waiting; ++i) {
    if (waiting(row)[i].lower > reach_[row]) continue;
    if (i < state.sharp) ++kept_sharp;
    waiting(row)[kept++] = waiting(row)[i];
  }
  state.waiting = kept;
  state.sharp = kept_sharp;
}

// The most promising first: once the reach is below a candidate's lower bound, so it is below those of all
// that follow.
void CandidateLists::sharpen(std::size_t row) {
  RowList& state = list(row);
  drop_beyond_reach(row);
  Candidate* const loose = waiting(row) + state.sharp;
  Candidate* const end = waiting(row) + state.waiting;
  std::sort(loose, end, [](const Candidate& a, const Candidate& b) {
    return a.lower != b.lower ? a.lower < b.lower : a.row < b.row;
  });
  // The loose bounds of these very candidates are in the heap: start it again with the sharp ones alone.
  state.waiting = state.sharp;
  collect_uppers(row);
  for (Candidate* candidate = loose; candidate != end && candidate->lower <= reach_[row]; ++candidate) {
    if (candidate + 1 != end) direct_.prefetch_second(candidate[1].row);
    const SquareBounds bounds = direct_.bounds(row, candidate->row);
    candidate->lower = static_cast<float>(std::sqrt(bounds.lower) * unit_ * kRoundedDown);
    candidate->upper = static_cast<float>(std::sqrt(bounds.upper) * unit_ * kRoundedUp);
    ++state.waiting;
    lower_reach(row, candidate->upper);
  }
  state.sharp = state.waiting;
  drop_beyond_reach(row);
}

void CandidateLists::refine(std::size_t row) {
  RowList& state = list(row);
  Neighbour* const nearest = measured(row);
  for (std::uint32_t i = 0; i < state.waiting; ++i) {
    if (i + 1 < state.waiting) direct_.prefetch_second(waiting(row)[i + 1].row);
    const Neighbour found{waiting(row)[i].row, direct_(row, waiting(row)[i].row)};
    if (state.measured == k_ && !nearer(found, nearest[k_ - 1])) continue;
    if (state.measured < k_) ++state.measured;
    std::size_t rank = state.measured - 1;
    for (; rank > 0 && nearer(found, nearest[rank - 1]); --rank) nearest[rank] = nearest[rank - 1];
    nearest[rank] = found;
  }
  state.refined += state.waiting;
  state.waiting = 0;
  state.sharp = 0;
  collect_uppers(row);
}

void CandidateLists::finish(std::size_t row, std::span<Neighbour> result) {
  sharpen(row);
  refine(row);
  assert(list(row).measured == k_ && result.size() == k_);
  std::copy_n(measured(row), k_, result.begin());
}

std::uint64_t CandidateLists::refined() const {
  std::uint64_t sum = 0;
  for (const RowList& row : rows_) sum += row.refined;
  return sum;
}

}  // namespace markeval::geometry::cpu
