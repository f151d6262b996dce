// Clusters of the references: where do people's texts lie, and which of these places does a system leave out?
#pragma once

#include <cstdint>
#include <vector>

#include "compute/products.hpp"
#include "geometry/points.hpp"
#include "metric/score_sets.hpp"
#include "report/clusters.hpp"
#include "report/run_report.hpp"

namespace markeval {

class SetClusters {
 public:
  /// Of a sample where there are many rows; of too few rows there are no clusters. `reference` must outlive
  /// it, `place` only this call.
  SetClusters(const geometry::Points& reference, const report::RowLookup& place, std::uint64_t seed,
              const compute::Products& products, const RunContext& context);

  /// Of one system, the largest difference first. `missing`: rows of the references inside none of its balls.
  std::vector<report::ClusterShare> compare(const geometry::Points& system,
                                            const std::vector<geometry::OutsidePoint>& missing,
                                            const RunContext& context) const;

 private:
  void name_clusters(const report::RowLookup& place);
  std::uint32_t nearest(const std::vector<double>& row) const;

  const geometry::Points& reference_;
  std::vector<std::size_t> rows_;       ///< those of the sample
  std::vector<std::uint32_t> cluster_;  ///< of each of them
  std::vector<std::vector<double>> centres_;
  std::vector<report::ClusterShare> clusters_;  ///< without what hangs on a system
};

}  // namespace markeval
