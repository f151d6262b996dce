// The rows of a file in tests/metric/golden, which make_golden.py writes.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace markeval::metric {

/// Fields between tabs; lines that begin with # are left out.
inline std::vector<std::vector<std::string>> golden_rows(const std::string& name) {
  std::ifstream file(MARKEVAL_METRIC_GOLDEN "/" + name);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream fields(line);
    auto& row = rows.emplace_back();
    for (std::string field; std::getline(fields, field, '\t');) row.push_back(field);
  }
  return rows;
}

}  // namespace markeval::metric
