// Tables for programs: all digits, nothing for what is absent.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/table.hpp"

namespace markeval::report {

/// A line with the titles, and one for each row; fields are told apart by tabs. What stands beside a value is
/// left out.
std::string to_tsv(const Table& table);
/// {"name", "title", "columns", "rows"}
nlohmann::ordered_json to_json(const Table& table);

}  // namespace markeval::report
