// Numbers of a table as people read them: how many digits, and which is the best.
#include "report/table.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "base/cancellation.hpp"
#include "report/cells.hpp"

namespace markeval::report {

std::string Cell::text() const {
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? "" : *text;
}

std::string heading(const ReportColumn& column) {
  return column.title + (column.result.empty() ? "" : " " + column.result) +
         (column.arrow ? kLowerIsBetter : "");
}

bool is_numeric(const Table& table, std::size_t column) {
  const CellKind kind = table.columns[column].kind;
  return kind == CellKind::number || kind == CellKind::probability || kind == CellKind::bytes ||
         std::ranges::any_of(table.rows, [&](const auto& row) {
           return std::holds_alternative<std::uint64_t>(row[column].value) || row[column].number() != nullptr;
         });
}

std::vector<std::size_t> row_order(const Table& table) {
  if (!table.order.empty()) return table.order;
  std::vector<std::size_t> order(table.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

void add_column(Table& table, ReportColumn column, std::vector<Cell> cells) {
  table.columns.push_back(std::move(column));
  table.rows.resize(cells.size());
  for (std::size_t row = 0; row < cells.size(); ++row) {
    table.rows[row].push_back(std::move(cells[row]));
    assert(table.rows[row].size() == table.columns.size());
  }
}

void remove_column(Table& table, std::size_t column) {
  const auto which = static_cast<std::ptrdiff_t>(column);
  table.columns.erase(table.columns.begin() + which);
  for (auto& row : table.rows) row.erase(row.begin() + which);
}

std::size_t decimals_of(const Table& table, std::size_t column, std::optional<std::size_t> digits) {
  const auto own = table.columns[column].decimals ? table.columns[column].decimals : table.decimals;
  if (digits && own != kAllDigits) return *digits;
  if (own) return *own;
  std::vector<double> values;
  std::vector<Interval> intervals;
  for (const auto& row : table.rows) {
    if (const double* number = row[column].number()) values.push_back(*number);
    if (row[column].interval) intervals.push_back(*row[column].interval);
  }
  return decimals_of(values, intervals, table.columns[column].percent);
}

std::string shown(const Cell& cell, const ReportColumn& column, std::size_t decimals) {
  check_cancelled();
  if (const auto* text = std::get_if<std::string>(&cell.value)) return *text;
  if (const auto* count = std::get_if<std::uint64_t>(&cell.value)) return std::to_string(*count);
  const double* number = cell.number();
  if (number == nullptr) return "-";
  if (column.kind == CellKind::probability) return probability(*number);
  return fixed_number(*number, cell.decimals.value_or(decimals));
}

std::vector<std::size_t> best_shown(const Table& table, std::size_t column,
                                    std::optional<std::size_t> digits) {
  const std::size_t decimals = decimals_of(table, column, digits);
  std::vector<double> values;
  for (const auto& row : table.rows) {
    const double* number = row[column].number();
    values.push_back(number != nullptr                       ? *number
                     : table.columns[column].lower_is_better ? INFINITY
                                                             : -INFINITY);
  }
  const double best = values[best_first(values, !table.columns[column].lower_is_better).front()];
  std::vector<std::size_t> found;
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (table.rows[row][column].number() != nullptr &&
        fixed_number(values[row], decimals) == fixed_number(best, decimals))
      found.push_back(row);
  }
  return found;
}

std::vector<std::size_t> rows_in_bold(const Table& table, std::size_t column,
                                      std::optional<std::size_t> digits) {
  if (!table.columns[column].marks_best) return {};
  std::vector<std::size_t> best = best_shown(table, column, digits);
  if (best.size() == table.rows.size()) best.clear();
  return best;
}

}  // namespace markeval::report
