// Pieces of other people's files in our messages: short, and without anything a terminal would obey.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace markeval {

inline constexpr std::size_t kQuotedCharacters = 60;
inline constexpr std::size_t kListedNames = 50;
inline constexpr std::size_t kLongestMessage = 4000;

/// At most 60 characters of `text`, control characters spelled out.
///   shortened("a\nb") -> "a\\nb";  shortened(<70 times 'x'>) -> "xxx... (70 bytes)"
std::string shortened(std::string_view text);

/// Without anything a terminal would obey: control characters but tabs and line breaks, bytes that are no
/// UTF-8 and the marks that turn the direction of a line round are spelled out.
///   printable("a\x1b[2J") -> "a\\x1b[2J";  printable("\u202E") -> "\\xe2\\x80\\xae"
std::string printable(std::string_view text);

/// A whole message: printable, one line without tabs ("\n" -> "\\n"), 4,000 bytes at most.
std::string harmless(std::string_view message);

/// The same between quotation marks: 'xxx'.
std::string in_quotes(std::string_view text);

/// "a, b, c", each shortened; of more than 50 names the first 50 "and 180 more".
std::string listed(std::span<const std::string> names);

}  // namespace markeval
