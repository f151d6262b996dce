#include "geometry/kmeans.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "geometry/point_blocks.hpp"

namespace markeval::geometry {
namespace {

using Eigen::Index;

// So few rows are multiplied with each other once, for all runs. An iteration then adds up the products of
// rows that changed their cluster, where it would multiply all rows by all centres.
constexpr std::size_t kFewRows = 2048;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// A row drawn with a probability proportional to its weight. `block_sums`: of the weights, `block_rows` at a
/// time.
std::size_t draw_row(const std::vector<double>& weight, const std::vector<double>& block_sums,
                     std::size_t block_rows, RandomStream& random) {
  const double total = std::accumulate(block_sums.begin(), block_sums.end(), 0.0);
  if (!(total > 0)) return random.below(weight.size());  // every row lies on a centre already
  double target = random.uniform() * total;
  std::size_t block = 0;
  while (block + 1 < block_sums.size() && target >= block_sums[block]) target -= block_sums[block++];
  std::size_t row = block * block_rows;
  const std::size_t last = std::min(row + block_rows, weight.size()) - 1;
  while (row < last && target >= weight[row]) target -= weight[row++];
  return row;
}

// Each next centre is a row drawn with a probability proportional to its squared distance to the centres so
// far.
BlockMatrix plus_plus_centres(const PointBlocks& points, std::size_t clusters, RandomStream& random,
                              const RunContext& context) {
  const Index width = static_cast<Index>(points.columns());
  BlockMatrix centres(static_cast<Index>(clusters), width);
  std::vector<double> nearest(points.rows(), std::numeric_limits<double>::infinity());
  std::vector<double> block_sums(points.blocks());
  std::size_t chosen = random.below(points.rows());
  for (Index c = 0; c < centres.rows(); ++c) {
    Eigen::VectorXd centre(width);
    points.load_centred_row(chosen, centre);
    centres.row(c) = centre.transpose();
    context.pool.for_each(points.blocks(), [&](std::size_t block, std::size_t) {
      context.check_cancelled();
      BlockMatrix values;
      points.load_centred(block, values);
      double sum = 0;
      for (Index row = 0; row < values.rows(); ++row) {
        double& distance = nearest[points.first_row(block) + static_cast<std::size_t>(row)];
        distance = std::min(distance, (values.row(row) - centre.transpose()).squaredNorm());
        sum += distance;
      }
      block_sums[block] = sum;
    });
    chosen = draw_row(nearest, block_sums, PointBlocks::kBlockRows, random);
  }
  return centres;
}

struct BlockSums {
  BlockMatrix sums;
  std::vector<std::uint32_t> counts;
  std::size_t changed = 0;
  double squared_error = 0;
};

// Gives the rows of one block to their nearest centre (ties: the lower one) and sums them up by cluster.
void assign_block(const PointBlocks& points, std::size_t block, const BlockMatrix& centres,
                  const Eigen::VectorXd& half_norms, std::vector<std::uint32_t>& cluster, BlockSums& out) {
  BlockMatrix values;
  points.load_centred(block, values);
  const BlockMatrix products = values * centres.transpose();
  out.sums.setZero(centres.rows(), centres.cols());
  out.counts.assign(static_cast<std::size_t>(centres.rows()), 0);
  out.changed = 0;
  out.squared_error = 0;
  for (Index row = 0; row < values.rows(); ++row) {
    Index best = 0;
    const double closeness = (products.row(row) - half_norms.transpose()).maxCoeff(&best);
    std::uint32_t& mine = cluster[points.first_row(block) + static_cast<std::size_t>(row)];
    if (mine != static_cast<std::uint32_t>(best)) ++out.changed;
    mine = static_cast<std::uint32_t>(best);
    out.sums.row(best) += values.row(row);
    ++out.counts[static_cast<std::size_t>(best)];
    out.squared_error += std::max(0.0, values.row(row).squaredNorm() - 2 * closeness);
  }
}

Clustering cluster_by_centres(const PointBlocks& points, std::size_t clusters, RandomStream& random,
                              const RunContext& context, std::size_t max_iterations) {
  BlockMatrix centres = plus_plus_centres(points, clusters, random, context);
  Clustering result;
  result.cluster.assign(points.rows(), kNone);
  std::vector<BlockSums> parts(points.blocks());
  while (result.iterations < max_iterations) {
    ++result.iterations;
    const Eigen::VectorXd half_norms = centres.rowwise().squaredNorm() / 2;
    context.pool.for_each(points.blocks(), [&](std::size_t block, std::size_t) {
      context.check_cancelled();
      assign_block(points, block, centres, half_norms, result.cluster, parts[block]);
    });
    BlockMatrix sums = BlockMatrix::Zero(centres.rows(), centres.cols());
    std::vector<std::uint64_t> counts(clusters, 0);
    std::size_t changed = 0;
    result.squared_error = 0;
    for (const BlockSums& part : parts) {
      sums += part.sums;
      for (std::size_t c = 0; c < clusters; ++c) counts[c] += part.counts[c];
      changed += part.changed;
      result.squared_error += part.squared_error;
    }
    if (changed == 0) break;
    for (std::size_t c = 0; c < clusters; ++c) {  // an empty cluster keeps its centre
      const Index row = static_cast<Index>(c);
      if (counts[c] > 0) centres.row(row) = sums.row(row) / static_cast<double>(counts[c]);
    }
  }
  return result;
}

BlockMatrix inner_products(const PointBlocks& points, const RunContext& context) {
  constexpr Index kStrip = 64;
  const Index count = static_cast<Index>(points.rows());
  BlockMatrix rows(count, static_cast<Index>(points.columns())), products(count, count), values;
  for (std::size_t block = 0; block < points.blocks(); ++block) {
    points.load_centred(block, values);
    rows.middleRows(static_cast<Index>(points.first_row(block)), values.rows()) = values;
  }
  context.pool.for_each(static_cast<std::size_t>((count + kStrip - 1) / kStrip), [&](std::size_t strip,
                                                                                     std::size_t) {
    context.check_cancelled();
    const Index begin = static_cast<Index>(strip) * kStrip, end = std::min(begin + kStrip, count);
    products.block(begin, 0, end - begin, end).noalias() =
        rows.middleRows(begin, end - begin) * rows.topRows(end).transpose();
    products.block(0, begin, begin, end - begin) = products.block(begin, 0, end - begin, begin).transpose();
  });
  return products;
}

/// Rows of `products` as the first centres.
std::vector<std::size_t> plus_plus_rows(const BlockMatrix& products, std::size_t clusters,
                                        RandomStream& random) {
  constexpr double kSame = 1e-12;  // what rounding leaves of the distance of equal rows
  const auto count = static_cast<std::size_t>(products.rows());
  std::vector<double> nearest(count, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> chosen{random.below(count)};
  while (chosen.size() < clusters) {
    const auto centre = static_cast<Index>(chosen.back());
    const double norm = products(centre, centre);
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto row = static_cast<Index>(i);
      const double norms = norm + products(row, row), distance = norms - 2 * products(centre, row);
      nearest[i] = std::min(nearest[i], distance > kSame * norms ? distance : 0);
      sum += nearest[i];
    }
    chosen.push_back(draw_row(nearest, {sum}, count, random));
  }
  return chosen;
}

Clustering cluster_by_products(const BlockMatrix& products, std::size_t clusters, RandomStream& random,
                               const RunContext& context, std::size_t max_iterations) {
  const Index count = products.rows(), centres = static_cast<Index>(clusters);
  // Of every centre with every row; of the rows of every cluster, summed up, with every row.
  BlockMatrix shared(centres, count), sums = BlockMatrix::Zero(centres, count);
  Eigen::VectorXd half_norms(centres), closeness(count);
  Index next = 0;
  for (const std::size_t row : plus_plus_rows(products, clusters, random)) {
    shared.row(next) = products.row(static_cast<Index>(row));
    half_norms(next++) = products(static_cast<Index>(row), static_cast<Index>(row)) / 2;
  }
  Clustering result;
  result.cluster.assign(static_cast<std::size_t>(count), kNone);
  std::vector<std::uint32_t> nearest(static_cast<std::size_t>(count)), sizes(clusters, 0);
  while (result.iterations < max_iterations) {
    context.check_cancelled();
    ++result.iterations;
    closeness.setConstant(-std::numeric_limits<double>::infinity());
    for (Index c = 0; c < centres; ++c) {  // ties: the lower one
      for (Index row = 0; row < count; ++row) {
        const double value = shared(c, row) - half_norms(c);
        const bool closer = value > closeness(row);
        closeness(row) = closer ? value : closeness(row);
        auto& mine = nearest[static_cast<std::size_t>(row)];
        mine = closer ? static_cast<std::uint32_t>(c) : mine;
      }
    }
    result.squared_error = (products.diagonal() - 2 * closeness).cwiseMax(0).sum();
    bool changed = false;
    for (Index row = 0; row < count; ++row) {
      std::uint32_t& cluster = result.cluster[static_cast<std::size_t>(row)];
      const std::uint32_t now = nearest[static_cast<std::size_t>(row)];
      if (now == cluster) continue;
      changed = true;
      if (cluster != kNone) {
        sums.row(cluster) -= products.row(row);
        --sizes[cluster];
      }
      sums.row(now) += products.row(row);
      ++sizes[now];
      cluster = now;
    }
    if (!changed) break;
    Eigen::VectorXd own = Eigen::VectorXd::Zero(centres);
    for (Index row = 0; row < count; ++row) {
      const std::uint32_t cluster = result.cluster[static_cast<std::size_t>(row)];
      own(cluster) += sums(cluster, row);
    }
    for (Index c = 0; c < centres; ++c) {  // an empty cluster keeps its centre
      const double size = sizes[static_cast<std::size_t>(c)];
      if (size == 0) continue;
      shared.row(c) = sums.row(c) / size;
      half_norms(c) = own(c) / (2 * size * size);
    }
  }
  return result;
}

}  // namespace

struct Clusterer::State {
  State(std::span<const Points> sets, const RunContext& context) : points(sets, context) {
    if (few()) products = inner_products(points, context);
  }
  bool few() const { return points.rows() <= kFewRows; }

  PointBlocks points;
  BlockMatrix products;  ///< of few rows
};

Clusterer::Clusterer(std::span<const Points> sets, const RunContext& context)
    : state_(std::make_unique<State>(sets, context)) {}
Clusterer::~Clusterer() = default;

Clustering Clusterer::run(std::size_t clusters, RandomStream random, const RunContext& context,
                          std::size_t max_iterations) const {
  const std::size_t rows = state_->points.rows();
  if (rows < clusters) throw_invalid(fmt::format("{} rows in all, too few for {} clusters", rows, clusters));
  return state_->few() ? cluster_by_products(state_->products, clusters, random, context, max_iterations)
                       : cluster_by_centres(state_->points, clusters, random, context, max_iterations);
}

}  // namespace markeval::geometry
