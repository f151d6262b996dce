// A run metric by metric: what pages take from its results.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/run_report.hpp"

namespace markeval::report {

using MetricResults = std::vector<const Result*>;  ///< one metric as asked for, a result per system

std::vector<MetricResults> by_request(const RunReport& run);
/// Null for a metric nobody has registered.
const metric::MetricInfo* info_of(const Result& result);
std::optional<Interval> interval_of(const Result& result, const std::string& name);

/// What the overview shows: the main result of each metric, or all results of the only one.
SummaryTable page_summary(const RunReport& run);

/// A card per metric: what it measures, a chart; folded its other results, signature and counts. The numbers
/// of the overview are not repeated.
std::string scores_html(const RunReport& run);

}  // namespace markeval::report
