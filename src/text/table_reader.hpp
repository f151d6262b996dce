// Tables with a header line: tab-separated, or, where the name ends in .csv or .csv.gz, comma-separated as
// RFC 4180 has it. A tab-separated table is read with the quotes of RFC 4180 where its first rows show them.
// Used by the corpus reader for one column and by the commands that read tables of scores.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/line_reader.hpp"

namespace markeval::text {

/// "a.csv", "a.csv.gz"
bool is_csv(std::string_view path);

class TableReader {
 public:
  /// Reads the header. Throws Error(invalid_input) when there is none.
  explicit TableReader(const std::string& path, ReadOptions options = {});
  /// Likewise of lines at their start, with tabs or commas between cells.
  TableReader(LineReader lines, char separator, ReadOptions options);
  /// Likewise of a stream, which has no name that tells: its header does. `lines` is at its start.
  static TableReader of_stream(LineReader lines, ReadOptions options);

  const std::vector<std::string>& columns() const { return columns_; }
  /// Position of the column of that name. Throws Error(usage) naming the file, its columns and the closest
  /// name.
  std::size_t column(std::string_view name) const;

  /// The cells of the next row, good until the next call; false at the end.
  /// Throws Error(invalid_input) "refs.tsv:17: 3 columns, expected 4".
  bool next(std::vector<std::string_view>& cells);

  const LineReader& lines() const { return lines_; }
  /// Whether quotes were taken off the fields of a tab-separated table.
  bool took_quotes_off() const { return quoted_ && separator_ == '\t'; }

 private:
  bool read_cells(std::vector<std::string_view>& cells);
  LineReader lines_;
  char separator_;
  bool quoted_;  ///< as RFC 4180 has it
  std::vector<std::string> columns_;
  std::vector<std::string> record_;  ///< the cells of a .csv without their quotes
};

}  // namespace markeval::text
