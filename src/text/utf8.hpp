// UTF-8 (RFC 3629, Unicode 15 section 3.9): checking, decoding, encoding. Everything behind the readers may
// rely on valid text; only the readers meet raw bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace markeval::text {

inline bool is_ascii(std::string_view bytes) {
  unsigned char all = 0;  // no way out of the loop: so it is done sixteen at a time
  for (const char byte : bytes) all |= static_cast<unsigned char>(byte);
  return all < 0x80;
}

/// Bytes at the start of `bytes` that are whole, valid characters; == bytes.size() when all of it is.
///   valid_prefix("ab\xff") -> 2
std::size_t valid_prefix(std::string_view bytes);

/// Appends `bytes` to `out` with U+FFFD for every maximal invalid part (what Python's errors="replace" does).
/// Returns how many were put in.
std::size_t append_replacing_invalid(std::string_view bytes, std::string& out);

/// Bytes of the character that starts with `lead`, the first byte of valid UTF-8.
inline std::size_t character_bytes(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

/// The character at `position` of valid UTF-8; moves `position` behind it.
inline char32_t decode(std::string_view text, std::size_t& position) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data()) + position;
  const char32_t lead = bytes[0];
  if (lead < 0x80) {
    position += 1;
    return lead;
  }
  if (lead < 0xE0) {
    position += 2;
    return ((lead & 0x1F) << 6) | (bytes[1] & 0x3FU);
  }
  if (lead < 0xF0) {
    position += 3;
    return ((lead & 0x0F) << 12) | ((bytes[1] & 0x3FU) << 6) | (bytes[2] & 0x3FU);
  }
  position += 4;
  return ((lead & 0x07) << 18) | ((bytes[1] & 0x3FU) << 12) | ((bytes[2] & 0x3FU) << 6) | (bytes[3] & 0x3FU);
}

/// Writes `character` to `out` (room for 4 bytes) and returns its bytes.
inline std::size_t encode(char32_t character, char* out) {
  const auto byte = [](char32_t value) { return static_cast<char>(static_cast<unsigned char>(value)); };
  if (character < 0x80) {
    out[0] = byte(character);
    return 1;
  }
  if (character < 0x800) {
    out[0] = byte(0xC0 | (character >> 6));
    out[1] = byte(0x80 | (character & 0x3F));
    return 2;
  }
  if (character < 0x10000) {
    out[0] = byte(0xE0 | (character >> 12));
    out[1] = byte(0x80 | ((character >> 6) & 0x3F));
    out[2] = byte(0x80 | (character & 0x3F));
    return 3;
  }
  out[0] = byte(0xF0 | (character >> 18));
  out[1] = byte(0x80 | ((character >> 12) & 0x3F));
  out[2] = byte(0x80 | ((character >> 6) & 0x3F));
  out[3] = byte(0x80 | (character & 0x3F));
  return 4;
}

inline void append(std::string& out, char32_t character) {
  char bytes[4];
  out.append(bytes, encode(character, bytes));
}

/// Characters in valid UTF-8.
std::size_t count_characters(std::string_view text);

/// `text` without white space at both ends: what Python's str.strip() takes away, since the public tools
/// strip so.
std::string_view strip(std::string_view text);

}  // namespace markeval::text
