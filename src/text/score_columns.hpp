// Columns of a table by name: numbers, labels and texts, from .tsv, .csv (RFC 4180) or .jsonl, each also .gz.
// Used where scores are read; texts alone come through the corpus reader.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "text/corpus.hpp"
#include "text/line_reader.hpp"

namespace markeval::text {

enum class ColumnKind {
  number,  ///< a decimal number; an empty cell, NA, N/A, None, null or - (in JSON: null) is a missing value
  label,   ///< a name: not empty; in JSON also a number or a truth value
  texts,   ///< one text; in JSON also a list of them
};

struct ColumnRequest {
  std::string name;
  ColumnKind kind = ColumnKind::number;
};

/// Holds what its kind asks for, a value per row; the other two are empty.
struct Column {
  std::vector<std::optional<double>> numbers;
  std::vector<std::string> labels;
  std::vector<std::vector<std::string>> texts;
};

/// The columns in the order asked for. The name tells the format; of standard input ("-") and pipes without
/// such a name its first line does. Throws Error(usage) for a column the table (of .jsonl its first line)
/// lacks, naming the closest, and for another format; Error(invalid_input) with file and line for a cell of
/// the wrong kind and for a table without rows.
///   "scores.tsv:17: column 'human' holds '3,5', expected a number"
/// `counts`: what was replaced, and whether quotes were taken off.
std::vector<Column> read_columns(const std::string& path, std::span<const ColumnRequest> requests,
                                 ReadOptions options = {}, ReadCounts* counts = nullptr);

}  // namespace markeval::text
