// Lines are split into words or characters, each gets a number, and the text is cut where its edit distance
// to the reference lines is least (lexical/segment_alignment).
#include "api/align.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <span>
#include <unordered_map>

#include "base/cancellation.hpp"
#include "base/error.hpp"
#include "base/input_bytes.hpp"
#include "base/parallel.hpp"
#include "base/run_context.hpp"
#include "lexical/python_text.hpp"
#include "lexical/segment_alignment.hpp"
#include "request/lookup.hpp"
#include "text/line_reader.hpp"
#include "text/utf8.hpp"

namespace markeval {
namespace {

/// Words or characters of all lines, by number, and where each stands in the lines put one after the other.
struct Units {
  std::u32string text;
  std::vector<std::uint32_t> numbers;
  std::vector<char32_t> marks;                             // the punctuation mark a unit ends with, or 0
  std::vector<std::pair<std::size_t, std::size_t>> spans;  // begin, end
  std::vector<std::size_t> ends;                           // of each line, in units
};

class UnitReader {
 public:
  explicit UnitReader(const AlignRequest& request) : request_(request) {}

  Units read_file(const std::string& path) {
    Units units;
    text::LineReader reader(path, {request_.replace_invalid});
    for (std::string_view line; reader.next(line);) add_line(line, units);
    require_countable(units, path);
    return units;
  }

  /// `name` is what messages call them.
  Units read_lines(std::span<const std::string> lines, const char* name) {
    Units units;
    for (const std::string& line : lines) {
      if (text::valid_prefix(line) != line.size())
        throw_invalid(fmt::format("{}: text {} is not valid UTF-8", name, units.ends.size() + 1));
      add_line(line, units);
    }
    require_countable(units, name);
    return units;
  }

 private:
  static void require_countable(const Units& units, const std::string& name) {
    if (units.numbers.size() > std::numeric_limits<std::int32_t>::max())
      throw_invalid(fmt::format("{}: {} words, expected fewer than 2^31", name, units.numbers.size()));
  }

  void add_line(std::string_view line, Units& units) {
    lexical::decode(line, codes_);
    const std::size_t begin = units.text.size();
    units.text += codes_;
    units.text += U' ';
    add_units(begin, units);
    units.ends.push_back(units.numbers.size());
  }

  void add_units(std::size_t begin, Units& units) {
    const bool characters = request_.unit == "character";
    for (std::size_t at = begin; at < units.text.size();) {
      if (lexical::is_space(units.text[at])) {
        ++at;
        continue;
      }
      std::size_t end = at + 1;
      while (!characters && !lexical::is_space(units.text[end])) ++end;  // a blank ends every line
      std::u32string word = units.text.substr(at, end - at);
      if (request_.ignore_case) lexical::lower(word);
      const auto number = static_cast<std::uint32_t>(numbers_.size());
      units.numbers.push_back(numbers_.try_emplace(std::move(word), number).first->second);
      const char32_t last = units.text[end - 1];
      units.marks.push_back(lexical::category(last) == lexical::Category::punctuation ? last : U'\0');
      units.spans.emplace_back(at, end);
      at = end;
    }
  }

  const AlignRequest& request_;
  std::u32string codes_;
  std::unordered_map<std::u32string, std::uint32_t> numbers_;
};

}  // namespace

AlignReport align(const AlignRequest& request, const std::atomic<bool>* cancel) {
  request::require_known("unit", request.unit, std::array<std::string, 2>{"word", "character"});
  require_streams_once(std::vector{request.reference, request.text});
  UnitReader reader(request);
  const auto read = [&](const std::string& path, std::span<const std::string> lines, const char* name) {
    return path.empty() ? reader.read_lines(lines, name) : reader.read_file(path);
  };
  const CancelScope stoppable(cancel);
  const auto called = [](const std::string& path, const char* name) { return path.empty() ? name : path; };
  const Units reference = read(request.reference, request.reference_lines, "reference"),
              text = read(request.text, request.text_lines, "text");
  if (reference.ends.empty())
    throw_invalid(fmt::format("{}: no lines to align to", called(request.reference, "reference")));
  if (text.numbers.empty()) throw_invalid(fmt::format("{}: no words to align", called(request.text, "text")));
  ThreadPool pool(1);
  const RunContext context{pool};
  const lexical::SegmentAlignment found = lexical::align_segments(
      {text.numbers, text.marks}, {reference.numbers, reference.marks}, reference.ends, context);
  AlignReport report;
  report.edits = found.edits;
  report.reference_units = reference.numbers.size();
  report.text_units = text.numbers.size();
  std::size_t begin = 0;
  for (const std::size_t end : found.ends) {
    std::string& line = report.lines.emplace_back();
    if (end > begin) {
      const std::size_t from = text.spans[begin].first;
      line = lexical::encode(std::u32string_view(text.text).substr(from, text.spans[end - 1].second - from));
    }
    begin = end;
  }
  return report;
}

}  // namespace markeval
