// The texts a user names as FILE[:COLUMN], segment by segment or all at once. Used by the lexical metrics,
// the encoder's streaming side and every command that takes text.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/line_reader.hpp"

namespace markeval::text {

enum class InputFormat { plain, table, jsonl };  // table: .tsv, .csv

/// By the name, with or without ".gz".
InputFormat format_of(std::string_view path);

/// FILE[:COLUMN] taken apart; the format follows from the name, with or without ".gz".
///   "refs.tsv.gz:ref" -> {"refs.tsv.gz", "ref", table};  "-" -> {"-", "", plain}
struct InputSpec {
  std::string path;
  std::string column;
  InputFormat format = InputFormat::plain;

  /// A file of the whole name is taken as it is; otherwise the column follows the last colon that has the
  /// name of a file before it, or the last one where none has.
  static InputSpec split(std::string_view text);
  /// Split, and known to be readable so far as names tell: throws Error(usage) when a plain file is given a
  /// column, or a table none.
  static InputSpec parse(std::string_view text);
};

/// What reading found besides the texts; reported, never silent.
struct ReadCounts {
  std::size_t segments = 0;
  std::size_t texts = 0;     ///< more than segments where JSONL fields hold lists
  std::size_t empty = 0;     ///< texts of nothing but white space
  std::size_t replaced = 0;  ///< U+FFFD put in for invalid UTF-8
  bool quotes_off = false;   ///< csv quotes were taken off the fields of a .tsv
};

/// The segments of one input in file order, without holding more than one of them.
class SegmentReader {
 public:
  explicit SegmentReader(const InputSpec& input, ReadOptions options = {});
  /// `lines` are those of the input.
  SegmentReader(const InputSpec& input, LineReader lines, ReadOptions options = {});
  explicit SegmentReader(std::string_view input, ReadOptions options = {});
  ~SegmentReader();
  SegmentReader(SegmentReader&&) noexcept;
  SegmentReader& operator=(SegmentReader&&) noexcept;

  /// The texts of the next segment: one, or as many as a JSONL list holds (at least one). Good until the next
  /// call. False at the end. Throws Error(invalid_input) with file and line, and for an input without any
  /// segment.
  bool next(std::span<const std::string_view>& texts);

  const ReadCounts& counts() const;
  std::size_t line_number() const;
  const std::string& name() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// All texts of one input in memory.
struct Corpus {
  std::string name;
  std::vector<std::string> texts;
  std::vector<std::size_t> starts{0};  ///< segment i holds texts[starts[i], starts[i + 1])
  ReadCounts counts;
  std::size_t header_lines = 0;  ///< lines of the file before the first segment

  /// A segment of one text.
  void add(std::string text);
  std::size_t segments() const { return starts.size() - 1; }
  std::span<const std::string> segment(std::size_t index) const {
    return {texts.data() + starts[index], starts[index + 1] - starts[index]};
  }
};

/// What a user chooses a column by: their names and the first rows, every cell shortened.
struct TablePreview {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};
/// Columns and first rows of a table or JSONL file (the fields of its first line). Throws
/// Error(invalid_input).
TablePreview preview_table(const InputSpec& input, LineReader lines, std::size_t rows);

Corpus read_corpus(std::string_view input, ReadOptions options = {});

}  // namespace markeval::text
