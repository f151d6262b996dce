// The version of this program, as signatures and reports carry it: "0.1.0".
#pragma once

#include <string_view>

namespace markeval {

std::string_view version();

}  // namespace markeval
