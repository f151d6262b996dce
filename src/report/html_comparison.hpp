// The page of a `compare` run: systems ranked with their intervals, those no test separates kept together,
// and who is surely better than whom.
#pragma once

#include <string>

#include "report/comparisons.hpp"
#include "report/html_score.hpp"

namespace markeval::report {

struct ComparisonPage {
  ScorePage score;  ///< facts, and what the systems' scores are made of
  ComparisonRun run;
};

/// Systems ranked by every result, then what a page of `score` shows of segments and sets.
std::string comparison_page(const ComparisonPage& page);

/// Rankings, one per result of every metric.
std::string rankings_html(const ComparisonRun& run);

}  // namespace markeval::report
