// Splitting of FILE[:COLUMN], the reader of each format, and previews of tables.
#include "text/corpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "base/input_bytes.hpp"
#include "base/json.hpp"
#include "base/json_reader.hpp"
#include "base/json_text.hpp"
#include "base/quotation.hpp"
#include "base/suggestion.hpp"
#include "text/json_line.hpp"
#include "text/table_reader.hpp"
#include "text/utf8.hpp"

namespace markeval::text {
namespace {

using nlohmann::json;

bool is_there(std::string_view path) {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::path(path), ignored);
}

/// " (fields: hyp, ref)", or nothing where the file is empty.
std::string fields_of_first_line(const std::string& path) {
  LineReader lines(path);
  std::string_view line;
  if (!lines.next(line)) return "";
  return fmt::format(" (fields: {})", listed(field_names(parse_json_line(line, lines))));
}

/// At most so many bytes, whole characters.
std::string shortened(std::string_view text) {
  constexpr std::size_t kMost = 160;
  return std::string(
      text.substr(0, text.size() <= kMost ? text.size() : valid_prefix(text.substr(0, kMost))));
}

/// A value of a JSON field as a cell: lists side by side.
std::string cell_of(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return json_text(value);
  std::string out;
  for (const json& item : value) out += (out.empty() ? "" : " | ") + cell_of(item);
  return out;
}

}  // namespace

InputFormat format_of(std::string_view path) {
  if (path.ends_with(".gz")) path.remove_suffix(3);
  if (path.ends_with(".tsv") || path.ends_with(".csv")) return InputFormat::table;
  if (path.ends_with(".jsonl")) return InputFormat::jsonl;
  return InputFormat::plain;
}

InputSpec InputSpec::split(std::string_view text) {
  const InputSpec whole{std::string(text), "", format_of(text)};
  std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || is_there(text)) return whole;
  // A column's name may hold colons: "t.tsv:en:ref" is a column of t.tsv where that file is there.
  for (std::size_t at = colon; at != 0 && at != std::string_view::npos; at = text.rfind(':', at - 1)) {
    if (!is_there(text.substr(0, at))) continue;
    colon = at;
    break;
  }
  const std::string_view path = text.substr(0, colon);
  // No table by its name: let opening say what is missing.
  if (format_of(path) == InputFormat::plain && !is_there(path) && path != "-") return whole;
  return {std::string(path), std::string(text.substr(colon + 1)), format_of(path)};
}

InputSpec InputSpec::parse(std::string_view text) {
  if (text.empty()) throw_usage("an input is empty, expected FILE, FILE:COLUMN or -");
  InputSpec spec = split(text);
  if (spec.format == InputFormat::plain && !spec.column.empty() && is_stream(spec.path)) {
    spec.format = InputFormat::table;  // or .jsonl: its first byte tells
    return spec;
  }
  if (spec.format == InputFormat::plain && !spec.column.empty()) {
    if (spec.path.ends_with(".json"))
      throw_usage(
          fmt::format("{}: .json is one document; a file with one object per line is a .jsonl", spec.path));
    throw_usage(fmt::format("{}: plain text has no column '{}'; columns need a .tsv, .csv or .jsonl file",
                            spec.path, spec.column));
  }
  if (spec.format == InputFormat::table && spec.column.empty()) {
    const TableReader table(spec.path);
    throw_usage(fmt::format("{}: which column? expected {}:COLUMN (columns: {})", spec.path, spec.path,
                            listed(table.columns())));
  }
  if (spec.format == InputFormat::jsonl && spec.column.empty()) {
    throw_usage(fmt::format("{}: which field? expected {}:FIELD{}", spec.path, spec.path,
                            fields_of_first_line(spec.path)));
  }
  return spec;
}

struct SegmentReader::State {
  InputSpec input;
  std::optional<LineReader> lines;  // plain and JSONL
  std::optional<TableReader> table;
  std::size_t column = 0;
  ReadCounts counts;
  std::vector<std::string_view> cells;
  std::vector<std::string_view> texts;
  std::vector<std::string> owned;

  const LineReader& reader() const { return table ? table->lines() : *lines; }

  bool next() {
    std::string_view line;
    texts.clear();
    if (table) {
      if (!table->next(cells)) return false;
      texts.push_back(cells[column]);
    } else {
      if (!lines->next(line)) return false;
      if (input.format == InputFormat::plain) {
        texts.push_back(line);
      } else {
        read_field(line);
      }
    }
    return true;
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw_invalid(fmt::format("{}:{}: {}", reader().name(), reader().line_number(), message));
  }

  void read_field(std::string_view line) {
    json object = parse_json_line(line, *lines);
    const auto field = object.find(input.column);
    if (field == object.end()) {
      const std::string message = missing_name("field", input.column, field_names(object));
      if (lines->line_number() > 1) fail(message);
      throw_usage(fmt::format("{}:1: {}", reader().name(), message));
    }
    owned.clear();
    if (field->is_string()) {
      owned.push_back(std::move(field->get_ref<std::string&>()));
    } else if (field->is_array() && !field->empty()) {
      for (json& item : *field) {
        if (!item.is_string()) {
          fail(fmt::format("field '{}' lists {}, expected strings", input.column, kind_of(item)));
        }
        owned.push_back(std::move(item.get_ref<std::string&>()));
      }
    } else {
      fail(fmt::format("field '{}' is {}, expected a string or a list of strings", input.column,
                       field->is_array() ? "an empty list" : kind_of(*field)));
    }
    texts.assign(owned.begin(), owned.end());
  }
};

SegmentReader::SegmentReader(const InputSpec& input, ReadOptions options)
    : SegmentReader(input, LineReader(input.path, options), options) {}

SegmentReader::SegmentReader(const InputSpec& input, LineReader lines, ReadOptions options)
    : state_(std::make_unique<State>()) {
  state_->input = input;
  if (input.format == InputFormat::table && format_of(input.path) == InputFormat::plain) {
    if (lines.peek(1) == "{") {
      state_->input.format = InputFormat::jsonl;
      state_->lines = std::move(lines);
      return;
    }
    state_->table = TableReader::of_stream(std::move(lines), options);
  } else if (input.format == InputFormat::table) {
    state_->table.emplace(std::move(lines), is_csv(input.path) ? ',' : '\t', options);
  } else {
    state_->lines.emplace(std::move(lines));
    return;
  }
  state_->column = state_->table->column(input.column);
  state_->counts.quotes_off = state_->table->took_quotes_off();
}

SegmentReader::SegmentReader(std::string_view input, ReadOptions options)
    : SegmentReader(InputSpec::parse(input), options) {}

SegmentReader::~SegmentReader() = default;
SegmentReader::SegmentReader(SegmentReader&&) noexcept = default;
SegmentReader& SegmentReader::operator=(SegmentReader&&) noexcept = default;

bool SegmentReader::next(std::span<const std::string_view>& texts) {
  State& state = *state_;
  const bool found = state.next();
  ReadCounts& counts = state.counts;
  counts.replaced = state.reader().replaced();
  if (!found) {
    if (counts.segments == 0) {
      throw_invalid(state.table ? name() + ": a header but no rows, expected at least one"
                                : name() + ": empty, expected at least one line");
    }
    return false;
  }
  ++counts.segments;
  counts.texts += state.texts.size();
  counts.empty += static_cast<std::size_t>(std::count_if(
      state.texts.begin(), state.texts.end(), [](std::string_view text) { return strip(text).empty(); }));
  texts = state.texts;
  return true;
}

const ReadCounts& SegmentReader::counts() const {
  return state_->counts;
}
std::size_t SegmentReader::line_number() const {
  return state_->reader().line_number();
}
const std::string& SegmentReader::name() const {
  return state_->reader().name();
}

void Corpus::add(std::string text) {
  texts.push_back(std::move(text));
  starts.push_back(texts.size());
}

TablePreview preview_table(const InputSpec& input, LineReader lines, std::size_t rows) {
  TablePreview preview;
  if (input.format == InputFormat::table) {
    TableReader table(std::move(lines), is_csv(input.path) ? ',' : '\t', {});
    preview.columns = table.columns();
    std::vector<std::string_view> cells;
    while (preview.rows.size() < rows && table.next(cells)) {
      auto& row = preview.rows.emplace_back();
      for (const std::string_view cell : cells) row.push_back(shortened(cell));
    }
    return preview;
  }
  std::string_view line;
  while (preview.rows.size() < rows && lines.next(line)) {
    const json object = parse_json_line(line, lines);
    if (preview.columns.empty()) preview.columns = field_names(object);
    auto& row = preview.rows.emplace_back();
    for (const std::string& column : preview.columns)
      row.push_back(object.contains(column) ? shortened(cell_of(object[column])) : "");
  }
  if (preview.rows.empty()) throw_invalid(input.path + ": empty, expected at least one line");
  return preview;
}

Corpus read_corpus(std::string_view input, ReadOptions options) {
  SegmentReader reader(input, options);
  Corpus corpus;
  corpus.name = reader.name();
  std::span<const std::string_view> texts;
  while (reader.next(texts)) {
    if (corpus.texts.empty()) corpus.header_lines = reader.line_number() - 1;
    corpus.texts.insert(corpus.texts.end(), texts.begin(), texts.end());
    corpus.starts.push_back(corpus.texts.size());
  }
  corpus.counts = reader.counts();
  return corpus;
}

}  // namespace markeval::text
