// Bytes -> clean lines. A file, its gzip, or standard input, read in blocks: a file larger than memory is
// fine.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace markeval::text {

struct ReadOptions {
  /// Put U+FFFD for invalid UTF-8 and count it, instead of an error with file and line.
  bool replace_invalid = false;
  /// A .tsv is read with csv quotes where its first rows show them; false: quotes are letters like others.
  bool csv_quotes = true;
};

/// Yields the lines of a text without their ends: LF and CRLF end a line, a byte order mark at the start and
/// a missing last newline are tolerated. Content compressed with gzip is recognised; a name that ends in .gz
/// must be.
class LineReader {
 public:
  /// `path` "-" is standard input. Throws Error(io) when it cannot be opened.
  explicit LineReader(const std::string& path, ReadOptions options = {});
  /// The lines of a text in memory, which must outlive it; `name` is for messages.
  LineReader(const std::string& name, std::string_view text, ReadOptions options = {});
  ~LineReader();
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;

  /// The next line, valid UTF-8, good until the next call; false at the end.
  /// Throws Error(invalid_input) "file:line: invalid UTF-8 at byte 7 (0xff)" and on damaged gzip data.
  bool next(std::string_view& line);

  /// Bytes that next() has not returned yet: `most` of them, or all that are left.
  std::string_view peek(std::size_t most);

  /// Number of the line last returned, from 1.
  std::size_t line_number() const;
  /// Characters put in for invalid bytes so far (only with replace_invalid).
  std::size_t replaced() const;
  /// The name to use in messages: the path, or "standard input".
  const std::string& name() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace markeval::text
