// How results look where people read them.
#pragma once

#include <cstddef>
#include <optional>

namespace markeval {

enum class TableStyle { text, markdown, latex };

/// How numbers and tables of text look.
struct TextOptions {
  TableStyle style = TableStyle::text;
  std::optional<std::size_t> digits{};  ///< after the point; else as many as the column's intervals support
  bool details = false;                 ///< every result of every metric too, not only the main one
  bool signatures = false;              ///< each of several signatures, not only where they stand
  std::size_t line_width = 0;  ///< of the screen: sentences are broken at blanks, wide tables go on below; 0:
                               ///< no screen, where only tables do, at 80
  const char* signatures_stand = "the JSON has them";  ///< what a text says that leaves them out
};

}  // namespace markeval
