// A run metric by metric: what pages take from its results.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/run_report.hpp"
#include "report/score_tables.hpp"

namespace markeval::report {

/// What the overview shows: the main result of each metric, or all results of the only one.
Table page_summary(const RunReport& run);

/// A card per metric: what it measures, a chart; folded its other results, signature and counts. The numbers
/// of the overview are not repeated.
std::string scores_html(const RunReport& run);

}  // namespace markeval::report
