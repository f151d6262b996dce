// The table of valid sequences (Unicode, Table 3-7), and stripping of white space as in Python.
#include "text/utf8.hpp"

#include <cstring>

namespace markeval::text {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct ByteSequence {
  std::size_t bytes;
  bool valid;
};

// The character at the start of `bytes` (not empty), or the longest part that could have begun one (Table
// 3-7).
ByteSequence first_part(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const auto between = [&](std::size_t i, unsigned low, unsigned high) {
    return i < bytes.size() && at(i) >= low && at(i) <= high;
  };
  const unsigned lead = at(0);
  if (lead < 0x80) return {1, true};
  if (lead < 0xC2 || lead > 0xF4) return {1, false};
  if (lead < 0xE0) return between(1, 0x80, 0xBF) ? ByteSequence{2, true} : ByteSequence{1, false};
  if (lead < 0xF0) {
    if (!between(1, lead == 0xE0 ? 0xA0 : 0x80, lead == 0xED ? 0x9F : 0xBF)) return {1, false};
    return between(2, 0x80, 0xBF) ? ByteSequence{3, true} : ByteSequence{2, false};
  }
  if (!between(1, lead == 0xF0 ? 0x90 : 0x80, lead == 0xF4 ? 0x8F : 0xBF)) return {1, false};
  if (!between(2, 0x80, 0xBF)) return {2, false};
  return between(3, 0x80, 0xBF) ? ByteSequence{4, true} : ByteSequence{3, false};
}

bool is_stripped(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

}  // namespace

std::size_t valid_prefix(std::string_view bytes) {
  if (is_ascii(bytes)) return bytes.size();
  std::size_t position = 0;
  while (position < bytes.size()) {
    while (position + 8 <= bytes.size()) {
      std::uint64_t word;
      std::memcpy(&word, bytes.data() + position, 8);
      if ((word & 0x8080808080808080U) != 0) break;
      position += 8;
    }
    if (position == bytes.size()) break;
    const ByteSequence part = first_part(bytes.substr(position));
    if (!part.valid) break;
    position += part.bytes;
  }
  return position;
}

std::size_t append_replacing_invalid(std::string_view bytes, std::string& out) {
  std::size_t replaced = 0;
  while (true) {
    const std::size_t good = valid_prefix(bytes);
    out.append(bytes.substr(0, good));
    bytes.remove_prefix(good);
    if (bytes.empty()) return replaced;
    out.append(kReplacement);
    bytes.remove_prefix(first_part(bytes).bytes);
    ++replaced;
  }
}

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (const char byte : text) count += (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
  return count;
}

std::string_view strip(std::string_view text) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t next = begin;
    if (!is_stripped(decode(text, next))) break;
    begin = next;
  }
  std::size_t end = text.size();
  while (end > begin) {
    std::size_t last = end - 1;
    while ((static_cast<unsigned char>(text[last]) & 0xC0) == 0x80) --last;
    std::size_t next = last;
    if (!is_stripped(decode(text, next))) break;
    end = last;
  }
  return text.substr(begin, end - begin);
}

}  // namespace markeval::text
