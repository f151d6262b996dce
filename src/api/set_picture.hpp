// Two sets of vectors as a page shows them: projected on the two directions in which the references are
// widest, with what lies outside the other set.
#pragma once

#include "compute/products.hpp"
#include "geometry/points.hpp"
#include "metric/score_sets.hpp"
#include "report/html_score.hpp"
#include "report/run_report.hpp"

namespace markeval {

/// Samples what is too much to draw. The same for any number of threads.
report::SetPicture make_set_picture(const metric::SetExplanation& explanation,
                                    const geometry::Points& reference, const geometry::Points& system,
                                    const report::RowLookup& reference_row,
                                    const report::RowLookup& system_row, const compute::Products& products);

}  // namespace markeval
