// The vectors a request names: read, checked and ready to be scored.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/run_context.hpp"
#include "geometry/points.hpp"
#include "report/run_report.hpp"
#include "request/score_request.hpp"
#include "vectors/vectors.hpp"

namespace markeval::score {

struct VectorInputs {
  std::vector<vectors::Vectors> references;
  std::optional<vectors::Vectors> stacked;  ///< several references as one
  std::vector<vectors::Vectors> systems;
  std::vector<std::string> system_names;

  const vectors::Vectors& reference() const { return stacked ? *stacked : references.front(); }
  /// Which file a row of reference() came from, and its row there.
  report::RowOrigin reference_place(std::size_t row) const;
};

/// Throws Error(usage) where two systems share a name, Error(invalid_input) for
/// values that are not finite and for widths that differ, naming files and widths.
VectorInputs load_vectors(const ScoreRequest& request, const RunContext& context);

geometry::Points as_points(const vectors::Vectors& vectors);

}  // namespace markeval::score
