// Text in columns: the first ones flush left, numbers flush right.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace markeval::report {

/// All rows must be equally long. The first `left_columns` columns are flush left. Ends with a newline; no
/// blanks at line ends. Widths count characters, not bytes.
std::string align(const std::vector<std::vector<std::string>>& rows, std::size_t left_columns);

}  // namespace markeval::report
