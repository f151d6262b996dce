// Escapes for control characters, direction marks and invalid UTF-8, and cutting after whole characters.
#include "base/quotation.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace markeval {
namespace {

/// How many bytes the character at the start of `rest` has; 0 where no character of UTF-8 begins there.
std::size_t character_bytes(std::string_view rest) {
  const auto byte = [&](std::size_t i) { return i < rest.size() ? static_cast<unsigned char>(rest[i]) : 0u; };
  const unsigned lead = byte(0);
  const std::size_t size = lead < 0x80   ? 1
                           : lead < 0xC2 ? 0
                           : lead < 0xE0 ? 2
                           : lead < 0xF0 ? 3
                           : lead < 0xF5 ? 4
                                         : 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return size;
}

/// Control characters of ASCII but tab and line break, those of Latin-1 (U+0080 to U+009F), and the marks
/// that turn the direction of a line round (Unicode's Bidi_Control).
bool is_obeyed(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return (first < 0x20 && first != '\n' && first != '\t') || first == 0x7F;
  if (character.size() == 2)
    return (first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0) || character == "\u061C";
  return character == "\u200E" || character == "\u200F" || (character >= "\u202A" && character <= "\u202E") ||
         (character >= "\u2066" && character <= "\u2069");
}

/// Appends the character at the start of `rest`; returns its bytes.
std::size_t append_printable(std::string_view rest, std::string& out) {
  const std::size_t size = character_bytes(rest);
  const std::string_view character = rest.substr(0, std::max<std::size_t>(size, 1));
  if (size > 0 && !is_obeyed(character)) {
    out += character;
  } else {
    for (const char byte : character) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  }
  return character.size();
}

}  // namespace

std::string shortened(std::string_view text) {
  std::string out;
  std::size_t characters = 0;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if ((byte & 0xC0) != 0x80) ++characters;  // a byte that starts a character
    if (characters > kQuotedCharacters || out.size() > 4 * kQuotedCharacters)
      return fmt::format("{}... ({} bytes)", out, text.size());
    if (letter == '\n') {
      out += "\\n";
    } else if (letter == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += letter;
    }
  }
  return out;
}

std::string in_quotes(std::string_view text) {
  return fmt::format("'{}'", shortened(text));
}

std::string listed(std::span<const std::string> names) {
  std::string list;
  for (const std::string& name : names.first(std::min(names.size(), kListedNames)))
    list += (list.empty() ? "" : ", ") + shortened(name);
  if (names.size() > kListedNames) list += fmt::format(" and {} more", names.size() - kListedNames);
  return list;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) i += append_printable(text.substr(i), out);
  return out;
}

std::string harmless(std::string_view message) {
  std::string out;
  for (std::size_t i = 0; i < message.size();) {
    if (out.size() > kLongestMessage) return out + " ...";
    if (message[i] == '\n' || message[i] == '\t') {
      out += message[i++] == '\n' ? "\\n" : "\\t";
    } else {
      i += append_printable(message.substr(i), out);
    }
  }
  return out;
}

}  // namespace markeval
