// k-means: seeded k-means++ starts (Arthur and Vassilvitskii 2007), then Lloyd's iterations in double. The
// same seed gives the same clusters for any number of threads.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "base/random.hpp"
#include "base/run_context.hpp"
#include "compute/products.hpp"
#include "geometry/set_engine.hpp"

namespace markeval::geometry::cpu {

/// The rows of all sets together, to be clustered any number of times. `products` must outlive it.
class Clusterer {
 public:
  /// Throws Error(invalid_input) where the mean of the rows overflows.
  Clusterer(std::span<const Points> sets, const compute::Products& products, const RunContext& context);
  ~Clusterer();

  /// Stops when no row changes its cluster, at the latest after `max_iterations`. Throws Error(invalid_input)
  /// where there are fewer rows than clusters. A cluster may end up empty where rows repeat.
  Clustering run(std::size_t clusters, RandomStream random, const RunContext& context,
                 std::size_t max_iterations = 100) const;

 private:
  struct PreparedRows;
  std::unique_ptr<PreparedRows> state_;
};

}  // namespace markeval::geometry::cpu
