// Systems beside people on a page: one chart for each metric, and the verdict in words.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "report/html_page.hpp"

namespace markeval::report {

/// Which systems are farther from the reference than people, or that none is; nothing unless `metrics`, all
/// of a run, have ceilings.
Headline people_headline(const std::vector<Ceiling>& ceilings, std::size_t metrics);

/// Empty where there are none.
std::string people_html(const std::vector<Ceiling>& ceilings);

}  // namespace markeval::report
