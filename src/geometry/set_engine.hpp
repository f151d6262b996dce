// What a device does with whole sets of points: nearest neighbours inside a set, counts in the balls of
// another set, points outside all balls. The interface is coarse, so that a device can keep the sets in its
// own memory and choose its own way through the pairs; geometry/cpu holds the CPU's. set_comparison.hpp
// stands above it and is what metrics ask.
//
// The ball of a point reaches to its k-th nearest neighbour in its own set.
//
// What must hold for every engine: the answer is that of plain loops over squared distances computed directly
// in double (direct_distance.hpp), ties included. tests/contract runs every device through one suite.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/run_context.hpp"
#include "compute/device.hpp"
#include "geometry/points.hpp"

namespace markeval::geometry {

struct Neighbour {
  std::uint32_t row;
  double squared_distance;
};

/// The order of neighbours: nearest first; equal distances: lower row first.
inline bool nearer(const Neighbour& a, const Neighbour& b) {
  return a.squared_distance != b.squared_distance ? a.squared_distance < b.squared_distance : a.row < b.row;
}

/// The k nearest other rows of every row, in the order of `nearer`.
struct NeighbourLists {
  std::size_t k = 0;
  std::vector<Neighbour> neighbours;  ///< k for row 0, k for row 1, ...

  std::size_t rows() const { return k == 0 ? 0 : neighbours.size() / k; }
  std::span<const Neighbour> of(std::size_t row) const { return {neighbours.data() + row * k, k}; }
  /// Squared distance from `row` to its `nearest`-th nearest other row, counted from 1.
  double squared_radius(std::size_t row, std::size_t nearest) const {
    return of(row)[nearest - 1].squared_distance;
  }
};

enum class Ball { closed, open };  ///< distance <= radius, or < radius

/// Whether a ball holds a point.
inline bool inside(double squared_distance, double squared_radius, Ball ball) {
  return ball == Ball::closed ? squared_distance <= squared_radius : squared_distance < squared_radius;
}

struct BallRequest {
  std::size_t k = 1;
  Ball ball = Ball::closed;
  bool operator==(const BallRequest&) const = default;
};

/// The balls of one set (the centres) against the points of the other.
struct BallCounts {
  std::vector<std::uint32_t> hits;    ///< per centre: points inside its ball
  std::vector<std::uint8_t> covered;  ///< per point: 1 where it lies inside at least one ball
  std::uint64_t total_hits() const;
  std::uint64_t total_covered() const;
};

/// Both directions of one request.
struct CrossCounts {
  BallRequest request;
  BallCounts reference_balls;  ///< balls of R, points of E
  BallCounts evaluated_balls;  ///< balls of E, points of R
};
/// Before anything is counted.
CrossCounts no_counts(const BallRequest& request, std::size_t reference_rows, std::size_t evaluated_rows);

/// A point inside no ball, and the ball it is closest to.
struct OutsidePoint {
  std::uint32_t row;
  std::uint32_t nearest_centre;  ///< the centre whose ball's surface is nearest; ties: lower row
  double distance;               ///< to that centre
  double radius;                 ///< of that ball
  double gap() const { return distance - radius; }
};

/// How to look at the pairs. The answer is the same; `automatic` takes what is fastest for the data at hand,
/// the others are for tests and benchmarks.
enum class Method {
  automatic,
  direct,   ///< every pair in double
  product,  ///< int8 product over all columns as a filter
  cascade,  ///< int8 product over the first principal axes, then over all columns for what is left
};

/// How the exact answer was found: what `details` tells the user.
struct FilterStatistics {
  std::string method;               ///< "direct", "int8", "int8 cascade 64+1 of 384"
  std::uint64_t pairs = 0;          ///< pairs of different rows that had to be decided
  std::uint64_t pairs_refined = 0;  ///< of those, decided by the direct double computation
};

/// Adds up the pairs that threads have done and tells the sink, one thread at a time.
class PairProgress {
 public:
  PairProgress(std::string stage, std::uint64_t total, const RunContext& context)
      : stage_(std::move(stage)), total_(total), context_(context) {}
  void advance(std::uint64_t pairs);

 private:
  std::string stage_;
  std::uint64_t total_;
  const RunContext& context_;
  std::atomic<std::uint64_t> done_{0};
  std::mutex mutex_;
};

/// What an engine is made for.
struct EngineSets {
  std::vector<Points> sets;      ///< of one width, finite, not empty; they must outlive the engine
  double largest_magnitude = 0;  ///< of all their values, below 1e150
  std::size_t largest_k = 1;     ///< that neighbours() will be asked for; only helps to choose a way
  Method method = Method::automatic;
};

/// Two sets on one device, ready to be asked about. Operations are called one after the other; each uses all
/// threads of the pool.
class SetEngine {
 public:
  virtual ~SetEngine() = default;

  /// For FilterStatistics::method.
  virtual std::string method() const = 0;
  /// The k nearest other rows of every row of one set; k is in [1, rows).
  virtual NeighbourLists neighbours(std::size_t set, std::size_t k, PairProgress& progress,
                                    FilterStatistics& statistics) = 0;
  /// Balls of set 0 (the reference) against points of set 1 (the evaluated) and the other way round, in the
  /// order of the requests. The lists hold the neighbours inside either set.
  virtual std::vector<CrossCounts> counts(const NeighbourLists& reference, const NeighbourLists& evaluated,
                                          std::span<const BallRequest> requests, PairProgress& progress,
                                          FilterStatistics& statistics) = 0;
  /// For every row of set 0 that is not marked as covered: the nearest ball around a row of set 1, whose
  /// squared radii these are. In the order of the rows.
  virtual std::vector<OutsidePoint> outside(std::span<const double> squared_radius,
                                            std::span<const std::uint8_t> covered,
                                            PairProgress& progress) = 0;
};

/// The one place that knows which device has which engine. Throws Error(io) for a device that has none.
std::unique_ptr<SetEngine> make_set_engine(const EngineSets& sets, compute::Device& device,
                                           const RunContext& context);

}  // namespace markeval::geometry
