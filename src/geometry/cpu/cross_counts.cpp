// Points of one set in the balls of the other: every pair (reference row, evaluated row) is looked at once
// and serves both directions and every ball asked for.
//
// A pair is decided by the first of these that can: the bounds of the filter, the bounds of a float32
// distance, the distance in double. What must hold: bounds decide only where the radius lies outside them
// (docs/background/exactness.md, step 9).
#include <atomic>
#include <cmath>

#include "geometry/cpu/cpu_set_engine.hpp"
#include "geometry/direct_distance.hpp"

namespace markeval::geometry::cpu {
namespace {

// Several threads count for the same row; sums of integers do not depend on the order.
void increment(std::uint32_t& count) {
  std::atomic_ref(count).fetch_add(1, std::memory_order_relaxed);
}
void raise(std::uint8_t& flag) {
  std::atomic_ref(flag).store(1, std::memory_order_relaxed);
}

/// The radii of every row for every request, in the order requests[0] row 0, requests[1] row 0, ...
class Radii {
 public:
  Radii(const NeighbourLists& lists, std::span<const BallRequest> requests, double unit)
      : requests_(requests.size()),
        squared_(lists.rows() * requests_),
        scaled_(squared_.size()),
        reach_(lists.rows()) {
    for (std::size_t row = 0; row < lists.rows(); ++row) {
      for (std::size_t r = 0; r < requests_; ++r) {
        const double square = lists.squared_radius(row, requests[r].k);
        squared_[row * requests_ + r] = square;
        scaled_[row * requests_ + r] = std::sqrt(square) * unit;
        reach_[row] = std::max(reach_[row], static_cast<float>(scaled_[row * requests_ + r] * (1 + 1e-6)));
      }
    }
  }
  double squared(std::size_t row, std::size_t request) const { return squared_[row * requests_ + request]; }
  /// In the filter's unit; off by a few roundings in double, which the filter's bounds leave room for.
  double scaled(std::size_t row, std::size_t request) const { return scaled_[row * requests_ + request]; }
  const std::vector<float>& reach() const { return reach_; }

 private:
  std::size_t requests_;
  std::vector<double> squared_;
  std::vector<double> scaled_;
  std::vector<float> reach_;
};

/// Decides pairs and counts them.
class Counter {
 public:
  Counter(Points reference, Points evaluated, const NeighbourLists& of_reference,
          const NeighbourLists& of_evaluated, std::span<const BallRequest> requests, double unit)
      : direct_(reference, evaluated),
        requests_(requests),
        unit_(unit),
        reference_radii_(of_reference, requests, unit),
        evaluated_radii_(of_evaluated, requests, unit) {
    for (const BallRequest& request : requests)
      counts_.push_back(no_counts(request, reference.rows(), evaluated.rows()));
  }
  const Radii& reference_radii() const { return reference_radii_; }
  const Radii& evaluated_radii() const { return evaluated_radii_; }

  void count_measured(std::size_t r, std::size_t e, double squared) {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (inside(squared, reference_radii_.squared(r, i), requests_[i].ball)) in_reference_ball(i, r, e);
      if (inside(squared, evaluated_radii_.squared(e, i), requests_[i].ball)) in_evaluated_ball(i, r, e);
    }
  }

  /// Counts the pair if its bounds decide it.
  bool count_bounded(std::size_t r, std::size_t e, double lower, double upper) {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      const double first = reference_radii_.scaled(r, i);
      const double second = evaluated_radii_.scaled(e, i);
      if ((lower <= first && first <= upper) || (lower <= second && second <= upper)) return false;
    }
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (upper < reference_radii_.scaled(r, i)) in_reference_ball(i, r, e);
      if (upper < evaluated_radii_.scaled(e, i)) in_evaluated_ball(i, r, e);
    }
    return true;
  }

  /// Decides pairs whose first bounds did not; returns how many had to be measured in double.
  std::uint64_t count_undecided(std::span<const FilteredPair> pairs) {
    std::uint64_t measured = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      // A tile lists its pairs by a few base rows at a time, which stay in the cache; queries come and go.
      if (i + 1 < pairs.size()) direct_.prefetch_first(pairs[i + 1].query);
      const auto [r, e, unused_lower, unused_upper] = pairs[i];
      const SquareBounds bounds = direct_.bounds(r, e);
      const double lower = std::sqrt(bounds.lower) * unit_ * (1 - 1e-12);
      const double upper = std::sqrt(bounds.upper) * unit_ * (1 + 1e-12);
      if (count_bounded(r, e, lower, upper)) continue;
      count_measured(r, e, direct_(r, e));
      ++measured;
    }
    return measured;
  }

  double measure(std::size_t r, std::size_t e) const { return direct_(r, e); }
  std::vector<CrossCounts> take() { return std::move(counts_); }

 private:
  void in_reference_ball(std::size_t request, std::size_t r, std::size_t e) {
    increment(counts_[request].reference_balls.hits[r]);
    raise(counts_[request].reference_balls.covered[e]);
  }
  void in_evaluated_ball(std::size_t request, std::size_t r, std::size_t e) {
    increment(counts_[request].evaluated_balls.hits[e]);
    raise(counts_[request].evaluated_balls.covered[r]);
  }

  DirectDistance direct_;
  std::span<const BallRequest> requests_;
  double unit_;
  Radii reference_radii_;
  Radii evaluated_radii_;
  std::vector<CrossCounts> counts_;
};

}  // namespace

std::vector<CrossCounts> CpuSetEngine::counts(const SetBalls& of_reference, const SetBalls& of_evaluated,
                                              std::span<const BallRequest> requests, RowRange range,
                                              PairWork& work) {
  const RunContext& context = work.context;
  CpuSet &reference = sets_.at(of_reference.set), &evaluated = sets_.at(of_evaluated.set);
  const std::uint64_t pairs = std::uint64_t{range.size()} * evaluated.rows;
  if (const CrossLists* const lists = cross_lists(reference, evaluated)) {
    std::uint64_t measured = 0;
    auto counts =
        subset_counts({points_of(sets_.at(*reference.parent)), reference.chosen, of_reference.neighbours},
                      {points_of(sets_.at(*evaluated.parent)), evaluated.chosen, of_evaluated.neighbours},
                      *lists, requests, range, context, measured);
    work.add(pairs, measured);
    work.advance(pairs);
    return counts;
  }
  const std::size_t k = of_reference.neighbours.k;
  const PairFilter* const filter = way_through({reference, evaluated}, k, context);
  work.statistics.method = filter != nullptr ? filter->method() : "direct";
  Counter counter(points_of(reference), points_of(evaluated), of_reference.neighbours,
                  of_evaluated.neighbours, requests, filter != nullptr ? filter->unit() : 1.0);
  std::atomic<std::uint64_t> refined{0};
  if (filter != nullptr) {
    std::vector<float> reference_reach(counter.reference_radii().reach());
    for (std::size_t row = 0; row < reference.rows; ++row) {
      if (!range.has(row)) reference_reach[row] = -1;
    }
    const bool whole = range.size() == reference.rows;
    const std::size_t evaluated_blocks = blocks_of(evaluated.rows);
    auto& scratches = scratch(context);
    context.pool.for_each(
        blocks_of(reference.rows) * evaluated_blocks, [&](std::size_t item, std::size_t worker) {
          context.check_cancelled();
          const Tile tile =
              block_tile(item / evaluated_blocks, item % evaluated_blocks, reference.rows, evaluated.rows);
          std::vector<FilteredPair> undecided;
          for (const FilteredPair& pair :
               filter->select(*reference.coded, *evaluated.coded, tile, reference_reach,
                              counter.evaluated_radii().reach(), scratches[worker])) {
            if (!whole && !range.has(pair.query)) continue;
            if (!counter.count_bounded(pair.query, pair.base, pair.lower, pair.upper))
              undecided.push_back(pair);
          }
          refined += counter.count_undecided(undecided);
          work.advance(tile.pairs());
        });
  } else {
    context.pool.for_each(range.size(), [&](std::size_t item, std::size_t) {
      context.check_cancelled();
      const std::size_t r = range.begin + item;
      for (std::size_t e = 0; e < evaluated.rows; ++e) counter.count_measured(r, e, counter.measure(r, e));
    });
    refined = pairs;
  }
  work.add(pairs, refined);
  return counter.take();
}

}  // namespace markeval::geometry::cpu
