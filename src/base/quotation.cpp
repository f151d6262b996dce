#include "base/quotation.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace markeval {

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

}  // namespace markeval
