// The first thing on a page: what was found in a sentence, and all systems by all metrics.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "report/html_page.hpp"
#include "report/table.hpp"

namespace markeval::report {

/// "uedin scores highest on 5 of 6 metrics"; where tests gave ranks "uedin is better than the 3 others on 5
/// of 6 metrics (tested at 5 %)". Metrics that give all systems one score and untested ones of sets are not
/// counted, and a tie is nobody's. Of more than three systems the number stands for their names. Of a single
/// system: its scores, up to three. `alpha`: the level of the tests.
Headline headline_of(const Table& table, double alpha = 0.05);

/// The table: systems as rows, or the metrics of a single system.
std::string overview_html(const Table& table);

}  // namespace markeval::report
