#include "text/tsv_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/suggestion.hpp"

namespace markeval::text {
namespace {

void split_cells(std::string_view line, std::vector<std::string_view>& cells) {
  cells.clear();
  while (true) {
    const std::size_t tab = line.find('\t');
    cells.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return;
    line.remove_prefix(tab + 1);
  }
}

}  // namespace

TsvReader::TsvReader(const std::string& path, ReadOptions options) : lines_(path, options) {
  std::string_view line;
  if (!lines_.next(line)) throw_invalid(lines_.name() + ": empty, expected a header line with column names");
  std::vector<std::string_view> cells;
  split_cells(line, cells);
  columns_.assign(cells.begin(), cells.end());
}

std::size_t TsvReader::column(std::string_view name) const {
  const auto found = std::find(columns_.begin(), columns_.end(), name);
  if (found == columns_.end()) {
    throw_usage(fmt::format("{}: no column '{}'{} (columns: {})", lines_.name(), name,
                            suggestion(name, columns_), fmt::join(columns_, ", ")));
  }
  if (std::find(found + 1, columns_.end(), name) != columns_.end()) {
    throw_invalid(fmt::format("{}: two columns are named '{}', expected one", lines_.name(), name));
  }
  return static_cast<std::size_t>(found - columns_.begin());
}

bool TsvReader::next(std::vector<std::string_view>& cells) {
  std::string_view line;
  if (!lines_.next(line)) return false;
  split_cells(line, cells);
  if (cells.size() != columns_.size()) {
    throw_invalid(fmt::format("{}:{}: {} column{}, expected {}", lines_.name(), lines_.line_number(),
                              cells.size(), cells.size() == 1 ? "" : "s", columns_.size()));
  }
  return true;
}

}  // namespace markeval::text
