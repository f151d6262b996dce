// The vectors a request names: read, checked and ready to be scored.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/markeval.hpp"
#include "embed/vectors.hpp"
#include "geometry/points.hpp"
#include "report/run_report.hpp"

namespace markeval {

struct VectorInputs {
  std::vector<embed::Vectors> references;
  std::optional<embed::Vectors> stacked;  ///< of several references
  std::vector<embed::Vectors> systems;
  std::vector<std::string> system_names;

  const embed::Vectors& reference() const { return stacked ? *stacked : references.front(); }
  /// Which file a row of reference() came from, and its row there.
  report::RowPlace reference_place(std::size_t row) const;
};

/// Throws Error(usage) where two systems share a name, Error(invalid_input) for
/// values that are not finite and for widths that differ, naming files and widths.
VectorInputs load_vectors(const ScoreRequest& request, ThreadPool& pool);

geometry::Points as_points(const embed::Vectors& vectors);

}  // namespace markeval
