// Lists are cut by distance, and a radius of a subset is at most the distance of the last deep neighbour
// where the list held enough rows of the subset. All else goes through the distance in double.
#include "geometry/cpu/subset_lists.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "geometry/direct_distance.hpp"

namespace markeval::geometry::cpu {
namespace {

constexpr std::size_t kChunkRows = 256;  ///< rows of a task

/// Calls `visit(row, refined)` for the rows of a range on all threads; returns the sum of what was refined.
template <typename Visit>
std::uint64_t for_rows(RowRange range, const RunContext& context, Visit visit) {
  std::atomic<std::uint64_t> refined{0};
  context.pool.for_each((range.size() + kChunkRows - 1) / kChunkRows, [&](std::size_t chunk, std::size_t) {
    context.check_cancelled();
    std::uint64_t mine = 0;
    const std::size_t begin = range.begin + chunk * kChunkRows;
    for (std::size_t row = begin; row < std::min(range.end, begin + kChunkRows); ++row) visit(row, mine);
    refined += mine;
  });
  return refined;
}

NearPoints near_points(std::size_t rows, const std::vector<std::vector<NearPair>>& pairs,
                       const NeighbourLists& deep, bool of_reference, const RunContext& context) {
  NearPoints near;
  near.squared_reach = deep.squared_radii(deep.k);
  const auto row_of = [&](const NearPair& pair) { return of_reference ? pair.reference : pair.evaluated; };
  near.starts.assign(rows + 1, 0);
  const auto each = [&](auto visit) {
    for (const std::vector<NearPair>& part : pairs) {
      for (const NearPair& pair : part) {
        if (pair.squared_distance <= near.squared_reach[row_of(pair)]) visit(pair);
      }
    }
  };
  each([&](const NearPair& pair) { ++near.starts[row_of(pair) + 1]; });
  for (std::size_t row = 0; row < rows; ++row) near.starts[row + 1] += near.starts[row];
  near.points.resize(near.starts.back());
  std::vector<std::size_t> next(near.starts.begin(), near.starts.end() - 1);
  each([&](const NearPair& pair) {
    near.points[next[row_of(pair)]++] = {of_reference ? pair.evaluated : pair.reference,
                                         pair.squared_distance};
  });
  for_rows({0, rows}, context, [&](std::size_t row, std::uint64_t&) {
    std::sort(near.points.begin() + static_cast<std::ptrdiff_t>(near.starts[row]),
              near.points.begin() + static_cast<std::ptrdiff_t>(near.starts[row + 1]), nearer);
  });
  return near;
}

/// Balls around some rows of one subset against some points of the other.
struct BallSide {
  const SubsetBalls& centres;
  const SubsetBalls& others;
  const NearPoints& near;  ///< of the centres
  RowRange centre_range, point_range;

  /// Returns how many pairs had to be measured.
  std::uint64_t count(const BallRequest& request, const RunContext& context, BallCounts& counts) const {
    const DirectDistance direct(centres.points, others.points);
    return for_rows(centre_range, context, [&](std::size_t centre, std::uint64_t& refined) {
      const double radius = centres.neighbours.squared_radius(centre, request.k);
      const std::uint32_t row = centres.subset.rows[centre];
      const auto add = [&](std::size_t point) {
        ++counts.hits[centre];
        std::atomic_ref(counts.covered[point]).store(1, std::memory_order_relaxed);
      };
      if (radius <= near.squared_reach[row]) {
        for (const Neighbour& found : near.of(row)) {
          if (!inside(found.squared_distance, radius, request.ball)) break;
          const std::uint32_t point = others.subset.index_of[found.row];
          if (point != SubsetRows::kAbsent && point_range.has(point)) add(point);
        }
        return;
      }
      for (std::size_t point = point_range.begin; point < point_range.end; ++point) {
        if (inside(direct(row, others.subset.rows[point]), radius, request.ball)) add(point);
      }
      refined += point_range.size();
    });
  }
};

}  // namespace

SubsetRows::SubsetRows(std::span<const std::uint32_t> chosen, std::size_t all)
    : rows(chosen.begin(), chosen.end()), index_of(all, kAbsent) {
  for (std::uint32_t index = 0; index < rows.size(); ++index) index_of[rows[index]] = index;
}

CrossLists make_cross_lists(const std::vector<std::vector<NearPair>>& pairs, const NeighbourLists& reference,
                            const NeighbourLists& evaluated, const RunContext& context) {
  return {near_points(reference.rows(), pairs, reference, true, context),
          near_points(evaluated.rows(), pairs, evaluated, false, context)};
}

std::size_t deep_enough(std::size_t k, double share) {
  const auto wanted = static_cast<double>(k);
  return static_cast<std::size_t>(std::ceil((wanted + 2.5 * std::sqrt(wanted) + 3) / share));
}

NeighbourLists subset_neighbours(const Points& points, const NeighbourLists& deep, const SubsetRows& subset,
                                 RowRange range, std::size_t k, const RunContext& context,
                                 std::uint64_t& refined) {
  const DirectDistance direct(points, points);
  NeighbourLists lists;
  lists.k = k;
  lists.neighbours.resize(range.size() * k);
  refined += for_rows(range, context, [&](std::size_t row, std::uint64_t& measured) {
    Neighbour* const out = lists.neighbours.data() + (row - range.begin) * k;
    std::size_t found = 0;
    for (const Neighbour& near : deep.of(subset.rows[row])) {
      const std::uint32_t index = subset.index_of[near.row];
      if (index == SubsetRows::kAbsent) continue;
      out[found++] = {index, near.squared_distance};
      if (found == k) return;
    }
    std::vector<Neighbour> all;
    for (std::size_t other = 0; other < subset.rows.size(); ++other) {
      if (other != row)
        all.push_back({static_cast<std::uint32_t>(other), direct(subset.rows[row], subset.rows[other])});
    }
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k), all.end(), nearer);
    std::copy_n(all.begin(), k, out);
    measured += all.size();
  });
  return lists;
}

std::vector<CrossCounts> subset_counts(const SubsetBalls& reference, const SubsetBalls& evaluated,
                                       const CrossLists& lists, std::span<const BallRequest> requests,
                                       RowRange range, const RunContext& context, std::uint64_t& refined) {
  const RowRange all{0, evaluated.subset.rows.size()};
  const BallSide of_reference{reference, evaluated, lists.of_reference, range, all};
  const BallSide of_evaluated{evaluated, reference, lists.of_evaluated, all, range};
  std::vector<CrossCounts> counts;
  for (const BallRequest& request : requests) {
    CrossCounts& found = counts.emplace_back(no_counts(request, reference.subset.rows.size(), all.end));
    refined += of_reference.count(request, context, found.reference_balls);
    refined += of_evaluated.count(request, context, found.evaluated_balls);
  }
  return counts;
}

}  // namespace markeval::geometry::cpu
