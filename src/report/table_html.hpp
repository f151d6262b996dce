// Tables for pages: sorted by a click on a column's name where there is JavaScript, readable where there is
// none, a list of cards on a phone where the columns would not fit.
#pragma once

#include <string>

#include "report/table.hpp"

namespace markeval::report {

/// The title of the table is for screen readers. Counts have commas; an interval, a rank or a note stands
/// smaller behind its number.
std::string to_html(const Table& table);

}  // namespace markeval::report
