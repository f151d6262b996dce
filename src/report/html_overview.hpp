// The first thing on a page: all systems by all metrics, and who leads in a sentence.
#pragma once

#include <string>

#include "report/summary.hpp"

namespace markeval::report {

/// "uedin leads on 5 of 6 metrics; bertscore cannot tell it from online-B."; empty for a single system.
std::string leader_sentence(const SummaryTable& table);

/// The table, where it says more than that of the only metric.
std::string overview_html(const SummaryTable& table);

}  // namespace markeval::report
