// Output of another segmentation than the reference's (speech translation, language models that write whole
// documents) cut into the reference's lines, so that it can be scored (installed as <markeval/align.hpp>).
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

namespace markeval {

struct AlignRequest {
  std::string reference{};  ///< a file, a segment per line; empty: reference_lines
  std::string text{};       ///< a file; where its lines end does not matter; empty: text_lines
  std::vector<std::string> reference_lines{}, text_lines{};
  std::string unit = "word";     ///< "word": between blanks; "character": for scripts without blanks
  bool ignore_case = false;      ///< compare words without case; the output keeps it
  bool replace_invalid = false;  ///< U+FFFD for invalid UTF-8 instead of an error
};

struct AlignReport {
  std::vector<std::string> lines;  ///< one per line of the reference, some may be empty
  std::size_t edits = 0;           ///< between these and the reference
  std::size_t reference_units = 0;
  std::size_t text_units = 0;

  /// Edits per word of the reference; 0 where it has none.
  double error_rate() const {
    return reference_units == 0 ? 0 : static_cast<double>(edits) / static_cast<double>(reference_units);
  }
};

/// Throws Error(usage) for an unknown unit, Error(invalid_input) for a reference without lines or a text
/// without words. Once `*cancel` becomes true, ends soon with Error(cancelled).
AlignReport align(const AlignRequest& request, const std::atomic<bool>* cancel = nullptr);

}  // namespace markeval
