#include "cli/output.hpp"

#include <cstdio>

#include "api/markeval.hpp"
#include "cli/output_check.hpp"

namespace markeval::cli {

void write_results(const std::string& path, std::string_view contents) {
  if (!is_standard_output(path)) {
    write_whole_file(path, contents);
    return;
  }
  if (std::fwrite(contents.data(), 1, contents.size(), stdout) != contents.size() ||
      std::fflush(stdout) != 0) {
    throw_io("standard output", "write");
  }
}

}  // namespace markeval::cli
