#include "geometry/candidate_lists.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace markeval::geometry {
namespace {

bool nearer(const Neighbour& a, const Neighbour& b) {
  return a.squared_distance != b.squared_distance ? a.squared_distance < b.squared_distance : a.row < b.row;
}

}  // namespace

CandidateLists::CandidateLists(Points points, std::size_t k, double unit)
    : direct_(points, points),
      k_(k),
      capacity_(std::max<std::size_t>(48, 3 * k)),
      unit_(unit),
      rows_(points.rows()),
      reach_(points.rows(), std::numeric_limits<float>::infinity()),
      waiting_(points.rows() * capacity_),
      measured_(points.rows() * k) {}

void CandidateLists::add(std::size_t row, std::uint32_t other, float lower, float upper) {
  if (lower > reach_[row]) return;
  Row& state = rows_[row];
  if (state.measured == k_) {
    // k identical rows found: a later identical row cannot displace them. Keeps masses of duplicates cheap.
    const Neighbour& last = measured_[row * k_ + k_ - 1];
    if (last.squared_distance == 0 && other > last.row) return;
  }
  if (state.waiting == capacity_) {
    tighten(row);
    if (state.waiting > capacity_ / 2) refine(row);
    if (lower > reach_[row]) return;
  }
  waiting_[row * capacity_ + state.waiting++] = {other, lower, upper};
  if (++state.unseen >= std::max<std::size_t>(8, k_) && state.waiting + state.measured >= k_) tighten(row);
}

void CandidateLists::tighten(std::size_t row) {
  Row& state = rows_[row];
  state.unseen = 0;
  Candidate* const begin = waiting_.data() + row * capacity_;
  // k others are surely within the k-th smallest upper bound.
  thread_local std::vector<float> uppers;
  uppers.clear();
  for (std::uint32_t i = 0; i < state.waiting; ++i) uppers.push_back(begin[i].upper);
  for (std::uint32_t i = 0; i < state.measured; ++i) {
    uppers.push_back(
        static_cast<float>(std::sqrt(measured_[row * k_ + i].squared_distance) * unit_ * (1 + 1e-6)));
  }
  if (uppers.size() < k_) return;
  std::nth_element(uppers.begin(), uppers.begin() + static_cast<std::ptrdiff_t>(k_ - 1), uppers.end());
  reach_[row] = std::min(reach_[row], uppers[k_ - 1]);
  Candidate* const end = std::remove_if(begin, begin + state.waiting, [&](const Candidate& candidate) {
    return candidate.lower > reach_[row];
  });
  state.waiting = static_cast<std::uint32_t>(end - begin);
}

void CandidateLists::refine(std::size_t row) {
  Row& state = rows_[row];
  Candidate* const begin = waiting_.data() + row * capacity_;
  Neighbour* const nearest = measured_.data() + row * k_;
  // The most promising first: once the k-th measured distance is below a candidate's lower bound, so it is
  // below those of all that follow.
  std::sort(begin, begin + state.waiting, [](const Candidate& a, const Candidate& b) {
    return a.lower != b.lower ? a.lower < b.lower : a.row < b.row;
  });
  for (std::uint32_t i = 0; i < state.waiting && begin[i].lower <= reach_[row]; ++i) {
    const Neighbour found{begin[i].row, direct_(row, begin[i].row)};
    ++state.refined;
    if (state.measured == k_ && !nearer(found, nearest[k_ - 1])) continue;
    if (state.measured < k_) ++state.measured;
    std::size_t place = state.measured - 1;
    for (; place > 0 && nearer(found, nearest[place - 1]); --place) nearest[place] = nearest[place - 1];
    nearest[place] = found;
    if (state.measured == k_) {
      const double farthest = std::sqrt(nearest[k_ - 1].squared_distance) * unit_ * (1 + 1e-6);
      reach_[row] = std::min(reach_[row], static_cast<float>(farthest));
    }
  }
  state.waiting = 0;
  state.unseen = 0;
}

void CandidateLists::finish(std::size_t row, std::span<Neighbour> result) {
  tighten(row);
  refine(row);
  assert(rows_[row].measured == k_ && result.size() == k_);
  std::copy_n(measured_.begin() + static_cast<std::ptrdiff_t>(row * k_), k_, result.begin());
}

std::uint64_t CandidateLists::refined() const {
  std::uint64_t sum = 0;
  for (const Row& row : rows_) sum += row.refined;
  return sum;
}

}  // namespace markeval::geometry
