// Clusters of the references: where do people's texts lie, and which of these places does a system leave out?
#pragma once

#include <cstdint>
#include <vector>

#include "metric/score_sets.hpp"
#include "report/clusters.hpp"
#include "report/run_report.hpp"

namespace markeval::score {

class SetClusters {
 public:
  /// Clusters a sample where there are many rows; too few rows have no clusters. `engine` must outlive the
  /// object, `place` only this call.
  SetClusters(geometry::SetEngine& engine, geometry::SetId reference, const report::RowLookup& origin_of,
              std::uint64_t seed, const RunContext& context);

  /// Shares of one system, the largest difference first. `missing`: rows of the references in none of its
  /// balls.
  std::vector<report::ClusterShare> compare(geometry::SetId system,
                                            const std::vector<geometry::OutsidePoint>& missing,
                                            const RunContext& context) const;

 private:
  void name_clusters(const report::RowLookup& origin_of);
  std::uint32_t nearest(const std::vector<double>& row) const;
  std::vector<double> row_of(geometry::SetId set, std::size_t row) const;

  geometry::SetEngine& engine_;
  geometry::SetId reference_;
  std::vector<std::uint32_t> rows_;     ///< those of the sample
  std::vector<std::uint32_t> cluster_;  ///< of each of them
  std::vector<std::vector<double>> centres_;
  std::vector<report::ClusterShare> clusters_;  ///< without what hangs on a system
};

}  // namespace markeval::score
