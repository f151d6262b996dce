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

/// The table: systems as rows, or the metrics of a single system. No best number is marked in the columns of
/// metrics with `ceilings`: people's numbers, of another size, stand elsewhere and cannot be compared with
/// it.
std::string overview_html(Table table, const std::vector<Ceiling>& ceilings = {});

}  // namespace markeval::report
