// Where results go: standard output, or a file that appears whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace markeval::cli {

/// path empty: standard output. Throws Error(io) where it cannot be written, a full disk included.
void write_results(const std::string& path, std::string_view contents);

}  // namespace markeval::cli
