// What a device does with whole sets of points. An engine holds the sets of a run: neighbours inside a set,
// counts in the balls of another set, points outside all balls, clusters, Gaussians, principal axes. What
// it makes for a set (copies in its own memory, codes, neighbours, a covariance) it makes once and keeps for
// all systems, splits and explanations. The interface is coarse, so that a device can choose its own way
// through the pairs; geometry/cpu holds the CPU's. Rows are asked for by ranges, so that several machines can
// share a set. set_comparison.hpp stands above it and is what metrics ask.
//
// The ball of a point reaches to its k-th nearest neighbour in its own set.
//
// What must hold for every engine: neighbours and counts are those of plain loops over squared distances
// computed directly in double (direct_distance.hpp), ties included. tests/contract runs every device through
// one suite.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/matrix.hpp"
#include "base/run_context.hpp"
#include "compute/device.hpp"
#include "geometry/points.hpp"
#include "geometry/span_sums.hpp"

namespace markeval::geometry {

/// A set that an engine holds.
enum class SetId : std::uint32_t {};

/// Rows [begin, end) of a set.
struct RowRange {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
  bool has(std::size_t row) const { return begin <= row && row < end; }
};

struct Neighbour {
  std::uint32_t row;
  double squared_distance;
};

/// The order of neighbours: nearest first; equal distances: lower row first.
inline bool nearer(const Neighbour& a, const Neighbour& b) {
  return a.squared_distance != b.squared_distance ? a.squared_distance < b.squared_distance : a.row < b.row;
}

/// The k nearest other rows of every row of a range, in the order of `nearer`.
struct NeighbourLists {
  std::size_t k = 0;
  std::vector<Neighbour> neighbours;  ///< k for the first row, k for the second, ...

  std::size_t rows() const { return k == 0 ? 0 : neighbours.size() / k; }
  std::span<const Neighbour> of(std::size_t row) const { return {neighbours.data() + row * k, k}; }
  /// Squared distance from `row` to its `nearest`-th nearest other row, counted from 1.
  double squared_radius(std::size_t row, std::size_t nearest) const {
    return of(row)[nearest - 1].squared_distance;
  }
  /// The same of all rows.
  std::vector<double> squared_radii(std::size_t nearest) const;
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
  /// Takes in the counts of other rows of R: hits add up, and what is covered there is covered.
  void add(const CrossCounts& part);
};
/// Before anything is counted.
CrossCounts no_counts(const BallRequest& request, std::size_t reference_rows, std::size_t evaluated_rows);

/// A set, and the neighbours inside it that its balls reach to.
struct SetBalls {
  SetId set;
  const NeighbourLists& neighbours;  ///< of all its rows
};

/// A point inside no ball, and the ball it is closest to.
struct OutsidePoint {
  std::uint32_t row;
  std::uint32_t nearest_centre;  ///< the centre whose ball's surface is nearest; ties: lower row
  double distance;               ///< to that centre
  double radius;                 ///< of that ball
  double gap() const { return distance - radius; }
};

/// k-means: seeded k-means++ starts, then Lloyd's iterations. Run i draws from RandomStream(seed, i).
struct ClusterRequest {
  std::size_t clusters = 1;
  std::uint64_t seed = 0;
  std::size_t runs = 1;
};
struct Clustering {
  std::vector<std::uint32_t> cluster;  ///< of every row: the sets one after the other
  std::size_t iterations = 0;
  double squared_error = 0;  ///< sum over rows of the squared distance to the centre of their cluster
};

struct Gaussian {
  std::vector<double> mean;
  std::vector<double> covariance;  ///< columns x columns, divided by rows - 1
};

struct FrechetDistance {
  double total = 0;          ///< squared, at least 0
  double between_means = 0;  ///< |m1 - m2|^2, a part of it
};

/// The directions in which a set is widest.
struct SetAxes {
  std::vector<double> mean;
  Matrix<double> axes;         ///< orthonormal rows, the widest direction first
  std::vector<double> shares;  ///< by axis: the share of the variance along it
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

/// What an operation on pairs runs under, and what it has done so far.
class PairWork {
 public:
  /// `total`: pairs of all operations that share it, for the progress.
  PairWork(std::string stage, std::uint64_t total, const RunContext& run)
      : context(run), stage_(std::move(stage)), total_(total) {}
  /// Threads call it for the pairs they have done; the sink hears of it from one thread at a time.
  void advance(std::uint64_t pairs);
  void add(std::uint64_t pairs, std::uint64_t refined) {
    statistics.pairs += pairs;
    statistics.pairs_refined += refined;
  }

  const RunContext& context;
  FilterStatistics statistics;

 private:
  std::string stage_;
  std::uint64_t total_;
  std::atomic<std::uint64_t> done_{0};
  std::mutex mutex_;
};

/// The sets of a run on one device. Operations are called one after the other; each uses all threads of the
/// context's pool. Errors name a set as it was added.
class SetEngine {
 public:
  virtual ~SetEngine() = default;

  /// The rows must stay where they are until the set is dropped; a device may copy them. Not empty.
  virtual SetId add(Points points, std::string name) = 0;
  /// Some rows of a set, in rising order. It must be dropped before the set.
  virtual SetId subset(SetId set, std::span<const std::uint32_t> rows) = 0;
  virtual void drop(SetId set) = 0;
  virtual std::size_t rows(SetId set) const = 0;
  virtual std::size_t columns(SetId set) const = 0;
  RowRange all_rows(SetId set) const { return {0, rows(set)}; }
  /// The row's values as they were given; `out.size()` must be columns(). Several threads may call at once.
  virtual void read_row(SetId set, std::size_t row, std::span<double> out) const = 0;

  /// Two sets of one width will be compared: makes what is missing for it. `largest_k` helps to choose a way.
  /// Throws Error(invalid_input) where a value is not finite, above 1e150, or all are below 1e-145, naming
  /// the set, row and column, counted from 1.
  virtual void prepare(SetId reference, SetId evaluated, std::size_t largest_k,
                       const RunContext& context) = 0;
  /// The k nearest other rows (of the whole set) of every row of the range; k is in [1, rows).
  virtual NeighbourLists neighbours(SetId set, RowRange range, std::size_t k, PairWork& work) = 0;
  /// Balls around rows of the reference's range against all points of the evaluated set, and all balls of the
  /// evaluated set against points of that range, in the order of the requests. A pair is looked at once and
  /// serves both directions. Vectors are as long as the sets; CrossCounts::add joins ranges.
  virtual std::vector<CrossCounts> counts(const SetBalls& reference, const SetBalls& evaluated,
                                          std::span<const BallRequest> requests, RowRange range,
                                          PairWork& work) = 0;
  /// For every row of `points` in the range that is not marked as covered: the nearest ball around a row of
  /// `centres`, whose squared radii these are. In the order of the rows.
  virtual std::vector<OutsidePoint> outside(SetId points, std::span<const std::uint8_t> covered,
                                            SetId centres, std::span<const double> squared_radius,
                                            RowRange range, PairWork& work) = 0;

  /// The rows of all sets together, clustered once per run. Stops when no row changes its cluster. Throws
  /// Error(invalid_input) where there are fewer rows than clusters. A cluster may end up empty where rows
  /// repeat.
  virtual std::vector<Clustering> cluster(std::span<const SetId> sets, const ClusterRequest& request,
                                          const RunContext& context) = 0;

  // Sums over a part of a set. The range begins at a multiple of SpanSums::kSpanRows, and ends at one or with
  // the set: then parts that are put together have the bits of the whole.

  /// By column.
  virtual SpanSums sums(SetId set, RowRange range, const RunContext& context) = 0;
  /// Products of the columns of rows minus `mean`: columns x columns numbers.
  virtual SpanSums squares(SetId set, std::span<const double> mean, RowRange range,
                           const RunContext& context) = 0;
  /// Needs at least two rows. Throws Error(invalid_input) where squares overflow double.
  virtual Gaussian covariance(SetId set, const RunContext& context) = 0;
  /// |m1 - m2|^2 + tr(S1) + tr(S2) - 2 tr(sqrt(sqrt(S1) S2 sqrt(S1))) of the Gaussians of both sets (Dowson
  /// and Landau 1982). A set of one row has covariance 0.
  virtual FrechetDistance frechet(SetId a, SetId b, const RunContext& context) = 0;
  /// The same for any number of threads.
  virtual SetAxes axes(SetId set, std::size_t count, const RunContext& context) = 0;
};

/// Drops the set when it ends.
class HeldSet {
 public:
  HeldSet(SetEngine& engine, SetId id) : engine_(engine), id_(id) {}
  ~HeldSet() { engine_.drop(id_); }
  HeldSet(const HeldSet&) = delete;
  HeldSet& operator=(const HeldSet&) = delete;
  operator SetId() const { return id_; }  // NOLINT(google-explicit-constructor)

 private:
  SetEngine& engine_;
  SetId id_;
};

/// Looks the device up in the one table of engines. Throws Error(io) for a device that has none. The device
/// must outlive the engine.
std::unique_ptr<SetEngine> make_set_engine(compute::Device& device, Method method = Method::automatic);

}  // namespace markeval::geometry
