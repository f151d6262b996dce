// Two sets of vectors as a page shows them: projected on the two directions in which the references are
// widest, with what lies outside the other set.
#pragma once

#include <optional>

#include "metric/score_sets.hpp"
#include "report/html_score.hpp"
#include "report/run_report.hpp"

namespace markeval::score {

/// Pictures of several systems on one plane.
class SetPictures {
 public:
  /// Both must outlive it.
  SetPictures(geometry::SetEngine& engine, geometry::SetId reference, const report::RowLookup& reference_row)
      : engine_(engine), reference_(reference), reference_row_(reference_row) {}

  /// Samples what is too much to draw. The same for any number of threads.
  report::SetPicture draw(const metric::SetExplanation& explanation, geometry::SetId system,
                          const report::RowLookup& system_row, const RunContext& context);

 private:
  geometry::SetEngine& engine_;
  geometry::SetId reference_;
  const report::RowLookup& reference_row_;
  std::optional<geometry::SetAxes> plane_;
};

}  // namespace markeval::score
