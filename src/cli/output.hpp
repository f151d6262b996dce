// Where results go: standard output, or a file that appears whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace markeval::cli {

/// path empty or "-": standard output. Throws Error(io) where it cannot be written, a full disk included.
void write_results(const std::string& path, std::string_view contents);

/// A report of the library in the form --format asks for.
template <typename Report>
void write_report(const std::string& path, const std::string& format, const Report& report) {
  write_results(path, format == "json" ? report.json() : format == "tsv" ? report.tsv() : report.text());
}

}  // namespace markeval::cli
