// Systems beside people on a page: one chart for each metric, and the verdict in words.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace markeval::report {

/// Empty where there are none.
std::string people_html(const std::vector<Ceiling>& ceilings);

}  // namespace markeval::report
