// Cells become numbers, labels or texts; "NA", "None" and the like are missing values.
#include "text/score_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/error.hpp"
#include "base/input_bytes.hpp"
#include "base/json.hpp"
#include "base/json_reader.hpp"
#include "base/json_text.hpp"
#include "base/plain_text.hpp"
#include "base/quotation.hpp"
#include "base/suggestion.hpp"
#include "text/json_line.hpp"
#include "text/table_reader.hpp"
#include "text/utf8.hpp"

namespace markeval::text {
namespace {

using nlohmann::json;

bool is_missing(std::string_view cell) {
  static constexpr std::array<std::string_view, 6> kMissing{"", "NA", "N/A", "None", "null", "-"};
  return std::find(kMissing.begin(), kMissing.end(), cell) != kMissing.end();
}

/// Puts cells where they belong and says where a bad one is.
class ColumnFiller {
 public:
  explicit ColumnFiller(std::span<const ColumnRequest> requests)
      : requests_(requests), columns_(requests.size()) {}

  void add(std::size_t index, std::string_view cell, const LineReader& lines) {
    switch (requests_[index].kind) {
      case ColumnKind::number:
        columns_[index].numbers.push_back(number(strip(cell), index, lines));
        break;
      case ColumnKind::label:
        if (strip(cell).empty()) fail(index, "is empty, expected a name", lines);
        columns_[index].labels.emplace_back(strip(cell));
        break;
      case ColumnKind::texts:
        columns_[index].texts.push_back({std::string(cell)});
        break;
    }
  }

  void add(std::size_t index, const json& value, const LineReader& lines) {
    if (value.is_string()) return add(index, std::string_view(value.get_ref<const std::string&>()), lines);
    Column& column = columns_[index];
    switch (requests_[index].kind) {
      case ColumnKind::number:
        if (value.is_null()) {
          column.numbers.emplace_back();
        } else if (value.is_number()) {
          column.numbers.emplace_back(value.get<double>());
        } else {
          fail(index, fmt::format("holds {}, expected a number", kind_of(value)), lines);
        }
        break;
      case ColumnKind::label:
        if (!value.is_number() && !value.is_boolean()) {
          fail(index, fmt::format("holds {}, expected a name", kind_of(value)), lines);
        }
        column.labels.push_back(json_text(value));
        break;
      case ColumnKind::texts:
        column.texts.push_back(list_of_texts(index, value, lines));
        break;
    }
  }

  void finish(const LineReader& lines, bool quotes_off = false) {
    counts_.replaced = lines.replaced();
    counts_.quotes_off = quotes_off;
    for (const Column& column : columns_) {
      if (column.numbers.empty() && column.labels.empty() && column.texts.empty()) {
        throw_invalid(lines.name() + ": no rows, expected at least one");
      }
    }
  }
  std::vector<Column> take() { return std::move(columns_); }
  const ReadCounts& counts() const { return counts_; }

 private:
  [[noreturn]] void fail(std::size_t index, const std::string& what, const LineReader& lines) const {
    throw_invalid(
        fmt::format("{}:{}: column '{}' {}", lines.name(), lines.line_number(), requests_[index].name, what));
  }

  std::optional<double> number(std::string_view cell, std::size_t index, const LineReader& lines) const {
    if (is_missing(cell)) return std::nullopt;
    std::string_view digits = cell;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto value = read_number<double>(digits);
    if (value && !std::isfinite(*value)) {
      fail(index,
           fmt::format("holds {}, expected a finite number (an empty cell is a missing value)",
                       in_quotes(cell)),
           lines);
    }
    if (!value) fail(index, fmt::format("holds {}, expected a number", in_quotes(cell)), lines);
    return value;
  }

  std::vector<std::string> list_of_texts(std::size_t index, const json& value,
                                         const LineReader& lines) const {
    std::vector<std::string> texts;
    if (!value.is_array() || value.empty()) {
      fail(index,
           fmt::format("holds {}, expected a text or a list of texts",
                       value.is_array() ? "an empty list" : kind_of(value)),
           lines);
    }
    for (const json& item : value) {
      if (!item.is_string()) fail(index, fmt::format("lists {}, expected texts", kind_of(item)), lines);
      texts.push_back(item.get<std::string>());
    }
    return texts;
  }

  std::span<const ColumnRequest> requests_;
  std::vector<Column> columns_;
  ReadCounts counts_;
};

void read_table(TableReader table, std::span<const ColumnRequest> requests, ColumnFiller& filler) {
  std::vector<std::size_t> positions;
  for (const ColumnRequest& request : requests) {
    positions.push_back(table.column(request.name));
  }
  std::vector<std::string_view> cells;
  while (table.next(cells)) {
    for (std::size_t i = 0; i < requests.size(); ++i) filler.add(i, cells[positions[i]], table.lines());
  }
  filler.finish(table.lines(), table.took_quotes_off());
}

void read_jsonl(LineReader lines, std::span<const ColumnRequest> requests, ColumnFiller& filler) {
  std::string_view line;
  while (lines.next(line)) {
    const json object = parse_json_line(line, lines);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const auto field = object.find(requests[i].name);
      if (field == object.end()) {
        const std::string message =
            fmt::format("{}:{}: {}", lines.name(), lines.line_number(),
                        missing_name("column", requests[i].name, field_names(object)));
        if (lines.line_number() == 1) throw_usage(message);
        throw_invalid(message);  // other lines have it
      }
      filler.add(i, *field, lines);
    }
  }
  filler.finish(lines);
}

}  // namespace

std::vector<Column> read_columns(const std::string& path, std::span<const ColumnRequest> requests,
                                 ReadOptions options, ReadCounts* counts) {
  ColumnFiller filler(requests);
  std::string_view name = path;
  if (name.ends_with(".gz")) name.remove_suffix(3);
  if (name.ends_with(".jsonl")) {
    read_jsonl(LineReader(path, options), requests, filler);
  } else if (name.ends_with(".tsv") || name.ends_with(".csv")) {
    read_table(TableReader(path, options), requests, filler);
  } else if (is_stream(path)) {
    LineReader lines(path, options);
    if (lines.peek(1) == "{") {
      read_jsonl(std::move(lines), requests, filler);
    } else {
      read_table(TableReader::of_stream(std::move(lines), options), requests, filler);
    }
  } else {
    throw_usage(fmt::format("{}: expected a table, .tsv, .csv or .jsonl (each also .gz)", path));
  }
  if (counts != nullptr) *counts = filler.counts();
  return filler.take();
}

}  // namespace markeval::text
