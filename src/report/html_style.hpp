// How a page looks and what its script does. Used by html_page.cpp.
#pragma once

#include <string_view>

namespace markeval::report {

std::string_view page_style();

}  // namespace markeval::report
