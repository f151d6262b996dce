// Two ways to the same clusters. Many rows: every iteration multiplies blocks of rows by the centres. Few
// rows: all products of rows with each other are made once, and an iteration adds up those of rows that
// changed their cluster. Which way is taken depends on the number of rows alone, so results repeat.
//
// What must hold: sums go over fixed blocks and are added in the order of the blocks, ties go to the lower
// centre, and everything random is drawn on the calling thread.
#include "geometry/cpu/kmeans.hpp"

#include <fmt/format.h>

#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "base/sum_of_squares.hpp"
#include "geometry/cpu/point_blocks.hpp"
#include "geometry/direct_distance.hpp"

namespace markeval::geometry::cpu {
namespace {

// So few rows are multiplied with each other once, for all runs. An iteration then adds up the products of
// rows that changed their cluster, where it would multiply all rows by all centres.
constexpr std::size_t kFewRows = 2048;
constexpr std::uint32_t kNoCluster = std::numeric_limits<std::uint32_t>::max();

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

void add_to(std::span<double> sum, std::span<const double> values) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
}

// Each next centre is a row drawn with a probability proportional to its squared distance to the centres so
// far.
Matrix<double> plus_plus_centres(const PointBlocks& points, std::size_t clusters, RandomStream& random,
                                 const RunContext& context) {
  Matrix<double> centres(clusters, points.columns());
  std::vector<double> nearest(points.rows(), std::numeric_limits<double>::infinity());
  std::vector<double> block_sums(points.blocks());
  std::size_t chosen = random.below(points.rows());
  for (std::size_t c = 0; c < clusters; ++c) {
    const std::span<double> centre = centres.row(c);
    points.load_centred_row(chosen, centre);
    context.pool.for_each(points.blocks(), [&](std::size_t block, std::size_t) {
      context.check_cancelled();
      const Matrix<double> values = points.centred_block(block);
      double sum = 0;
      for (std::size_t row = 0; row < values.rows(); ++row) {
        double& distance = nearest[points.first_row(block) + row];
        distance =
            std::min(distance, squared_distance(values.row(row).data(), centre.data(), points.columns()));
        sum += distance;
      }
      block_sums[block] = sum;
    });
    chosen = draw_row(nearest, block_sums, PointBlocks::kBlockRows, random);
  }
  return centres;
}

struct BlockSums {
  Matrix<double> sums;
  std::vector<std::uint32_t> counts;
  std::size_t changed = 0;
  double squared_error = 0;
};

// Gives the rows of one block to their nearest centre (ties: the lower one) and sums them up by cluster.
BlockSums assign_block(const PointBlocks& points, std::size_t block, const Matrix<double>& centres,
                       std::span<const double> half_norms, const compute::Products& products,
                       std::vector<std::uint32_t>& cluster) {
  const Matrix<double> values = points.centred_block(block);
  Matrix<double> shared(values.rows(), centres.rows());
  products.multiply(compute::as_is(values.view()), compute::transposed(centres.view()), shared.view());
  BlockSums out{Matrix<double>(centres.rows(), centres.columns()),
                std::vector<std::uint32_t>(centres.rows(), 0)};
  for (std::size_t row = 0; row < values.rows(); ++row) {
    std::size_t best = 0;
    double closeness = -std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < centres.rows(); ++c) {
      const double value = shared.row(row)[c] - half_norms[c];
      if (value > closeness) {
        closeness = value;
        best = c;
      }
    }
    std::uint32_t& mine = cluster[points.first_row(block) + row];
    if (mine != static_cast<std::uint32_t>(best)) ++out.changed;
    mine = static_cast<std::uint32_t>(best);
    add_to(out.sums.row(best), values.row(row));
    ++out.counts[best];
    out.squared_error += std::max(0.0, sum_of_squares(values.row(row)) - 2 * closeness);
  }
  return out;
}

Clustering cluster_by_centres(const PointBlocks& points, std::size_t clusters,
                              const compute::Products& products, RandomStream& random,
                              const RunContext& context, std::size_t max_iterations) {
  Matrix<double> centres = plus_plus_centres(points, clusters, random, context);
  Clustering result;
  result.cluster.assign(points.rows(), kNoCluster);
  std::vector<BlockSums> parts(points.blocks());
  std::vector<double> half_norms(clusters);
  while (result.iterations < max_iterations) {
    ++result.iterations;
    for (std::size_t c = 0; c < clusters; ++c) half_norms[c] = sum_of_squares(centres.row(c)) / 2;
    context.pool.for_each(points.blocks(), [&](std::size_t block, std::size_t) {
      context.check_cancelled();
      parts[block] = assign_block(points, block, centres, half_norms, products, result.cluster);
    });
    Matrix<double> sums(clusters, centres.columns());
    std::vector<std::uint64_t> counts(clusters, 0);
    std::size_t changed = 0;
    result.squared_error = 0;
    for (const BlockSums& part : parts) {
      add_to(sums.values(), part.sums.values());
      for (std::size_t c = 0; c < clusters; ++c) counts[c] += part.counts[c];
      changed += part.changed;
      result.squared_error += part.squared_error;
    }
    if (changed == 0) break;
    for (std::size_t c = 0; c < clusters; ++c) {  // an empty cluster keeps its centre
      if (counts[c] == 0) continue;
      for (std::size_t i = 0; i < centres.columns(); ++i)
        centres.row(c)[i] = sums.row(c)[i] / static_cast<double>(counts[c]);
    }
  }
  return result;
}

/// Inner products of all rows with each other.
Matrix<double> inner_products(const PointBlocks& points, const compute::Products& products,
                              const RunContext& context) {
  Matrix<double> rows(points.rows(), points.columns()), result(points.rows(), points.rows());
  for (std::size_t row = 0; row < rows.rows(); ++row) points.load_centred_row(row, rows.row(row));
  context.check_cancelled();
  products.multiply(compute::as_is(rows.view()), compute::transposed(rows.view()), result.view());
  return result;
}

/// Rows of `products` as the first centres.
std::vector<std::size_t> plus_plus_rows(const Matrix<double>& products, std::size_t clusters,
                                        RandomStream& random) {
  constexpr double kSame = 1e-12;  // what rounding leaves of the distance of equal rows
  std::vector<double> nearest(products.rows(), std::numeric_limits<double>::infinity());
  std::vector<std::size_t> chosen{random.below(products.rows())};
  while (chosen.size() < clusters) {
    const std::span<const double> centre = products.row(chosen.back());
    double sum = 0;
    for (std::size_t i = 0; i < products.rows(); ++i) {
      const double norms = centre[chosen.back()] + products.row(i)[i], distance = norms - 2 * centre[i];
      nearest[i] = std::min(nearest[i], distance > kSame * norms ? distance : 0);
      sum += nearest[i];
    }
    chosen.push_back(draw_row(nearest, {sum}, products.rows(), random));
  }
  return chosen;
}

/// Moves the rows whose nearest centre is another one than before from sum to sum; whether there were any.
bool move_rows(const Matrix<double>& products, std::span<const std::uint32_t> nearest,
               std::vector<std::uint32_t>& cluster, Matrix<double>& sums, std::vector<std::uint32_t>& sizes) {
  bool changed = false;
  for (std::size_t row = 0; row < products.rows(); ++row) {
    const std::uint32_t before = cluster[row], now = nearest[row];
    if (now == before) continue;
    changed = true;
    if (before != kNoCluster) {
      for (std::size_t i = 0; i < products.columns(); ++i) sums.row(before)[i] -= products.row(row)[i];
      --sizes[before];
    }
    add_to(sums.row(now), products.row(row));
    ++sizes[now];
    cluster[row] = now;
  }
  return changed;
}

Clustering cluster_by_products(const Matrix<double>& products, std::size_t clusters, RandomStream& random,
                               const RunContext& context, std::size_t max_iterations) {
  const std::size_t count = products.rows();
  // Inner products with every row: of every centre, and of the summed rows of every cluster.
  Matrix<double> shared(clusters, count), sums(clusters, count);
  std::vector<double> half_norms(clusters), closeness(count);
  const std::vector<std::size_t> first = plus_plus_rows(products, clusters, random);
  for (std::size_t c = 0; c < clusters; ++c) {
    std::copy_n(products.row(first[c]).data(), count, shared.row(c).data());
    half_norms[c] = products.row(first[c])[first[c]] / 2;
  }
  Clustering result;
  result.cluster.assign(count, kNoCluster);
  std::vector<std::uint32_t> nearest(count), sizes(clusters, 0);
  while (result.iterations < max_iterations) {
    context.check_cancelled();
    ++result.iterations;
    std::fill(closeness.begin(), closeness.end(), -std::numeric_limits<double>::infinity());
    for (std::size_t c = 0; c < clusters; ++c) {  // ties: the lower one
      const double* const mine = shared.row(c).data();
      for (std::size_t row = 0; row < count; ++row) {
        const double value = mine[row] - half_norms[c];
        const bool closer = value > closeness[row];
        closeness[row] = closer ? value : closeness[row];
        nearest[row] = closer ? static_cast<std::uint32_t>(c) : nearest[row];
      }
    }
    result.squared_error = 0;
    for (std::size_t row = 0; row < count; ++row)
      result.squared_error += std::max(0.0, products.row(row)[row] - 2 * closeness[row]);
    if (!move_rows(products, nearest, result.cluster, sums, sizes)) break;
    std::vector<double> own(clusters, 0);
    for (std::size_t row = 0; row < count; ++row)
      own[result.cluster[row]] += sums.row(result.cluster[row])[row];
    for (std::size_t c = 0; c < clusters; ++c) {  // an empty cluster keeps its centre
      const double size = sizes[c];
      if (size == 0) continue;
      for (std::size_t i = 0; i < count; ++i) shared.row(c)[i] = sums.row(c)[i] / size;
      half_norms[c] = own[c] / (2 * size * size);
    }
  }
  return result;
}

}  // namespace

struct Clusterer::PreparedRows {
  PreparedRows(std::span<const Points> sets, const compute::Products& device_products,
               const RunContext& context)
      : points(sets, context), products(device_products) {
    if (few()) inner = inner_products(points, products, context);
  }
  bool few() const { return points.rows() <= kFewRows; }

  PointBlocks points;
  const compute::Products& products;
  Matrix<double> inner;  ///< products of few rows with each other
};

Clusterer::Clusterer(std::span<const Points> sets, const compute::Products& products,
                     const RunContext& context)
    : state_(std::make_unique<PreparedRows>(sets, products, context)) {}
Clusterer::~Clusterer() = default;

Clustering Clusterer::run(std::size_t clusters, RandomStream random, const RunContext& context,
                          std::size_t max_iterations) const {
  const std::size_t rows = state_->points.rows();
  if (rows < clusters) throw_invalid(fmt::format("{} rows in all, too few for {} clusters", rows, clusters));
  return state_->few() ? cluster_by_products(state_->inner, clusters, random, context, max_iterations)
                       : cluster_by_centres(state_->points, clusters, state_->products, random, context,
                                            max_iterations);
}

}  // namespace markeval::geometry::cpu
