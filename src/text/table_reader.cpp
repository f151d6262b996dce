// Splitting of rows with and without quotes, and the test whether a tab-separated table is quoted.
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

/// The cells of one record; a quoted cell may hold separators, doubled quotes and line ends. False at the end
/// of the file.
bool next_csv_record(LineReader& lines, char separator, std::vector<std::string>& cells) {
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
    } else if (character == separator) {
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

constexpr std::size_t kLookedAt = std::size_t{1} << 20;  ///< bytes of a table that show whether it is quoted
constexpr std::size_t kSeveral = 2;                      ///< fields that show it, where the header does not

/// Whether a tab-separated table was written with the quotes of csv, as pandas does it: a quoted name in the
/// header, or several fields like "he said ""no""", and no field that such a writer would have quoted
/// otherwise.
///   ref<TAB>b            "ref"<TAB>"b"            ref
///   "a ""b"" c"<TAB>d    -> true (the header)     "Yes," he said   -> false
bool has_csv_quotes(std::string_view start) {
  std::size_t shown = 0;
  bool in_header = true;
  for (std::size_t at = 0; at < start.size();) {
    if (start[at] == '"') {
      std::size_t end = at + 1;
      bool doubled = false;
      for (; end < start.size(); ++end) {
        if (start[end] != '"') continue;
        if (end + 1 >= start.size() || start[end + 1] != '"') break;
        doubled = true;
        ++end;
      }
      if (end >= start.size()) break;  // goes on behind what was looked at, or never ends
      const char after = end + 1 < start.size() ? start[end + 1] : '\n';
      if (after != '\t' && after != '\n' && after != '\r') return false;
      if (in_header) return true;
      if (doubled && start.substr(at, end - at).find('\n') == std::string_view::npos && end > at + 2) ++shown;
      at = end + 1;
    } else {
      const std::size_t end = std::min(start.find_first_of("\t\n", at), start.size());
      if (start.substr(at, end - at).find('"') != std::string_view::npos) return false;
      at = end;
    }
    if (at < start.size() && start[at] == '\r') ++at;
    if (at < start.size() && start[at] == '\n') in_header = false;
    ++at;
  }
  return shown >= kSeveral;
}

/// The separator of a stream: a comma where the header has commas and no tab, else a tab.
char separator_of(LineReader& lines) {
  const std::string_view start = lines.peek(kLookedAt), header = start.substr(0, start.find('\n'));
  return header.find('\t') == std::string_view::npos && header.find(',') != std::string_view::npos ? ','
                                                                                                   : '\t';
}

bool reads_quotes(LineReader& lines, char separator, const ReadOptions& options) {
  if (separator == ',') return true;
  std::string_view start = lines.peek(options.csv_quotes ? kLookedAt : 0);
  if (start.starts_with("\xEF\xBB\xBF")) start.remove_prefix(3);
  return has_csv_quotes(start);
}

}  // namespace

bool is_csv(std::string_view path) {
  return path.ends_with(".csv") || path.ends_with(".csv.gz");
}

TableReader::TableReader(const std::string& path, ReadOptions options)
    : TableReader(LineReader(path, options), is_csv(path) ? ',' : '\t', options) {}
TableReader TableReader::of_stream(LineReader lines, ReadOptions options) {
  const char separator = separator_of(lines);
  return {std::move(lines), separator, options};
}

TableReader::TableReader(LineReader lines, char separator, ReadOptions options)
    : lines_(std::move(lines)), separator_(separator), quoted_(reads_quotes(lines_, separator, options)) {
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
                              separator_ == ',' ? "commas" : "tabs"));
    }
    throw_usage(fmt::format("{}: {}", lines_.name(), missing_name("column", name, columns_)));
  }
  if (std::find(found + 1, columns_.end(), name) != columns_.end()) {
    throw_invalid(fmt::format("{}: two columns are named {}, expected one", lines_.name(), in_quotes(name)));
  }
  return static_cast<std::size_t>(found - columns_.begin());
}

bool TableReader::read_cells(std::vector<std::string_view>& cells) {
  if (quoted_) {
    if (!next_csv_record(lines_, separator_, record_)) return false;
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
