// The files of src/serve/page, which are inside the program.
#pragma once

#include <string_view>

namespace markeval::serve {

/// "style.css"; "" where there is no such file.
std::string_view asset(std::string_view name);

}  // namespace markeval::serve
