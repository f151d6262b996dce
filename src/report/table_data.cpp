// Tables as lines with tabs and as JSON.
#include "report/table_data.hpp"

#include "base/json.hpp"
#include "report/cells.hpp"
#include "report/json_number.hpp"

namespace markeval::report {
namespace {

std::string field(const Cell& cell) {
  if (const double* number = cell.number()) return all_digits(*number);
  if (const auto* count = std::get_if<std::uint64_t>(&cell.value)) return std::to_string(*count);
  return tsv_field(cell.text());
}

nlohmann::ordered_json to_value(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell.value)) return *text;
  if (const auto* count = std::get_if<std::uint64_t>(&cell.value)) return *count;
  return json_number(cell.number() == nullptr ? std::nullopt : std::optional(*cell.number()));
}

}  // namespace

std::string to_tsv(const Table& table) {
  std::string out;
  for (const ReportColumn& column : table.columns)
    out += (&column == &table.columns.front() ? "" : "\t") + tsv_field(column.title);
  for (const auto& row : table.rows) {
    for (const Cell& cell : row) out += (&cell == &row.front() ? "\n" : "\t") + field(cell);
  }
  return out + "\n";
}

nlohmann::ordered_json to_json(const Table& table) {
  nlohmann::ordered_json json{{"name", table.name}, {"title", table.title}};
  json["columns"] = nlohmann::ordered_json::array();
  for (const ReportColumn& column : table.columns) json["columns"].push_back(column.title);
  json["rows"] = nlohmann::ordered_json::array();
  for (const auto& row : table.rows) {
    auto& cells = json["rows"].emplace_back(nlohmann::ordered_json::array());
    for (const Cell& cell : row) cells.push_back(to_value(cell));
  }
  return json;
}

}  // namespace markeval::report
