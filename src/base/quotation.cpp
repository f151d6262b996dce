#include "base/quotation.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace markeval {
namespace {

/// The control characters of ASCII but the line break, and those of Latin-1 as UTF-8 spells them (C2 80 to C2
/// 9F).
std::size_t control_bytes(std::string_view rest) {
  const auto byte = [&](std::size_t i) { return i < rest.size() ? static_cast<unsigned char>(rest[i]) : 0u; };
  if ((byte(0) < 0x20 && byte(0) != '\n') || byte(0) == 0x7F) return 1;
  return byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0 ? 2 : 0;
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

std::string harmless(const std::string& message) {
  std::string out;
  for (std::size_t i = 0; i < message.size();) {
    if (out.size() > kLongestMessage) return out + " ...";
    const std::size_t control = control_bytes(std::string_view(message).substr(i));
    if (control == 0) out += message[i++];
    for (const std::size_t end = i + control; i < end; ++i)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(message[i]));
  }
  return out;
}

}  // namespace markeval
