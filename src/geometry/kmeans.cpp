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
    const double total = std::accumulate(block_sums.begin(), block_sums.end(), 0.0);
    if (!(total > 0)) {  // every row lies on a centre already
      chosen = random.below(points.rows());
      continue;
    }
    double target = random.uniform() * total;
    std::size_t block = 0;
    while (block + 1 < block_sums.size() && target >= block_sums[block]) target -= block_sums[block++];
    chosen = points.first_row(block);
    const std::size_t last = chosen + points.rows_in(block) - 1;
    while (chosen < last && target >= nearest[chosen]) target -= nearest[chosen++];
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

}  // namespace

Clustering cluster_points(std::span<const Points> sets, std::size_t clusters, RandomStream random,
                          const RunContext& context, std::size_t max_iterations) {
  const PointBlocks points(sets, context);
  if (points.rows() < clusters) {
    throw_invalid(fmt::format("{} rows in all, too few for {} clusters", points.rows(), clusters));
  }
  BlockMatrix centres = plus_plus_centres(points, clusters, random, context);
  Clustering result;
  result.cluster.assign(points.rows(), std::numeric_limits<std::uint32_t>::max());
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

}  // namespace markeval::geometry
