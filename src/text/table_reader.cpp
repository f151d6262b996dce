#include "text/table_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/quotation.hpp"
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

/// The cells of one record; a quoted cell may hold commas, doubled quotes and line ends. False at the end of
/// the file.
bool next_csv_record(LineReader& lines, std::vector<std::string>& cells) {
  std::string_view line;
  if (!lines.next(line)) return false;
  const std::size_t first_line = lines.line_number();
  cells.assign(1, "");
  std::string record(line);
  bool quoted = false, closed = false;  // inside the quotes, behind them
  for (std::size_t i = 0; i <= record.size(); ++i) {
    if (i == record.size()) {
      if (!quoted) break;
      if (!lines.next(line))
        throw_invalid(fmt::format("{}:{}: a quote that never ends", lines.name(), first_line));
      record.push_back('\n');
      record += line;
      if (record.size() > limit_of(Limit::line_bytes))
        throw_beyond(Limit::line_bytes, fmt::format("{}:{}: a row", lines.name(), first_line));
    }
    const char character = record[i];
    if (quoted) {
      if (character != '"') {
        cells.back().push_back(character);
      } else if (i + 1 < record.size() && record[i + 1] == '"') {
        cells.back().push_back('"');
        ++i;
      } else {
        quoted = false;
        closed = true;
      }
    } else if (character == ',') {
      cells.emplace_back();
      closed = false;
    } else if (closed) {
      throw_invalid(fmt::format("{}:{}: {} behind a closing quote, expected a comma", lines.name(),
                                lines.line_number(), in_quotes(std::string_view(record).substr(i, 1))));
    } else if (character == '"' && cells.back().empty()) {
      quoted = true;
    } else {
      cells.back().push_back(character);
    }
  }
  return true;
}

}  // namespace

bool is_csv(std::string_view path) {
  return path.ends_with(".csv") || path.ends_with(".csv.gz");
}

TableReader::TableReader(const std::string& path, ReadOptions options)
    : TableReader(LineReader(path, options), is_csv(path)) {}

TableReader::TableReader(LineReader lines, bool csv) : lines_(std::move(lines)), csv_(csv) {
  std::vector<std::string_view> cells;
  if (!read_cells(cells)) throw_invalid(lines_.name() + ": empty, expected a header line with column names");
  if (cells.size() > limit_of(Limit::columns))
    throw_beyond(Limit::columns, fmt::format("{}: {} columns", lines_.name(), cells.size()));
  columns_.assign(cells.begin(), cells.end());
}

std::size_t TableReader::column(std::string_view name) const {
  const auto found = std::find(columns_.begin(), columns_.end(), name);
  if (found == columns_.end()) {
    if (columns_.size() == 1 && columns_.front().find_first_of(" \t;|") != std::string::npos) {
      throw_usage(fmt::format("{}: no column {}: the header is one column, {}, expected {} between columns",
                              lines_.name(), in_quotes(name), in_quotes(columns_.front()),
                              csv_ ? "commas" : "tabs"));
    }
    throw_usage(fmt::format("{}: {}", lines_.name(), missing_name("column", name, columns_)));
  }
  if (std::find(found + 1, columns_.end(), name) != columns_.end()) {
    throw_invalid(fmt::format("{}: two columns are named {}, expected one", lines_.name(), in_quotes(name)));
  }
  return static_cast<std::size_t>(found - columns_.begin());
}

bool TableReader::read_cells(std::vector<std::string_view>& cells) {
  if (csv_) {
    if (!next_csv_record(lines_, record_)) return false;
    cells.assign(record_.begin(), record_.end());
    return true;
  }
  std::string_view line;
  if (!lines_.next(line)) return false;
  split_cells(line, cells);
  return true;
}

bool TableReader::next(std::vector<std::string_view>& cells) {
  if (!read_cells(cells)) return false;
  if (cells.size() != columns_.size()) {
    throw_invalid(fmt::format("{}:{}: {} column{}, expected {}", lines_.name(), lines_.line_number(),
                              cells.size(), cells.size() == 1 ? "" : "s", columns_.size()));
  }
  return true;
}

}  // namespace markeval::text
