// The first thing on a page: what was found in a sentence, and all systems by all metrics.
#pragma once

#include <string>
#include <vector>

#include "report/html_page.hpp"
#include "report/summary.hpp"

namespace markeval::report {

/// "uedin scores highest on 5 of 6 metrics"; where tests gave ranks "uedin leads on 5 of 6 metrics". Metrics
/// that give all systems one score are not counted, and a tie is nobody's. Of more than three systems the
/// number stands for their names. Of a single system: its scores, up to three.
Headline headline_of(const SummaryTable& table);

/// The table: systems as rows, or the metrics of a single system.
std::string overview_html(const SummaryTable& table);

/// "a", "a and b", "a, b and c", "4 systems"; names as name_html() has them.
std::string some_names(const std::vector<std::string>& names, const std::string& what);

}  // namespace markeval::report
