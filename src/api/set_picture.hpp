// Two sets of vectors as a page shows them: projected on the two directions in which they are widest, with
// what lies outside the other set.
#pragma once

#include <functional>
#include <string>

#include "base/parallel.hpp"
#include "geometry/points.hpp"
#include "metric/score_sets.hpp"
#include "report/html_score.hpp"

namespace markeval {

/// Where a row of a set came from, and its text where it was made of one.
struct RowSource {
  std::string place;  ///< "poor.npy, row 69"
  std::string text{};
};
using RowLookup = std::function<RowSource(std::size_t row)>;

/// Samples what is too much to draw. The same for any number of threads.
report::SetPicture make_set_picture(const metric::SetExplanation& explanation,
                                    const geometry::Points& reference, const geometry::Points& system,
                                    const RowLookup& reference_row, const RowLookup& system_row,
                                    ThreadPool& pool);

}  // namespace markeval
