// Text on its way from what the user wrote to what the model knows, byte by byte tied to where it came from.
// Normalisers rewrite it, pre-tokenizers cut it into pieces. Same rules of alignment as Hugging Face
// `tokenizers`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/utf8.hpp"

namespace markeval::token {

/// Bytes [begin, end) of the original text.
struct SourceRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  friend bool operator==(const SourceRange&, const SourceRange&) = default;
};

struct AlignedText {
  std::string text;
  std::vector<SourceRange> source;  ///< one per byte of `text`; stays empty where nobody asks for offsets
  bool tracked = false;

  void clear() {
    text.clear();
    source.clear();
  }
  SourceRange source_at(std::size_t byte) const { return tracked ? source[byte] : SourceRange{}; }
  void append(char32_t character, SourceRange range) {
    char bytes[4];
    append(std::string_view(bytes, text::encode(character, bytes)), range);
  }
  void append(std::string_view bytes, SourceRange range) {
    text.append(bytes);
    if (tracked) source.resize(text.size(), range);
  }
  /// Bytes [begin, end) of another text with their sources.
  void append_part(const AlignedText& other, std::size_t begin, std::size_t end) {
    text.append(other.text, begin, end - begin);
    if (tracked)
      source.insert(source.end(), other.source.begin() + static_cast<std::ptrdiff_t>(begin),
                    other.source.begin() + static_cast<std::ptrdiff_t>(end));
  }
};

/// Most bytes that may become of a text of `bytes` bytes before it is cut (Limit::normalized_bytes): a few
/// rules can double it again and again.
std::size_t most_text_bytes(std::size_t bytes);
/// Throws Error(invalid_input) where `bytes` are more than `most`, Error(cancelled) on request.
void require_text_room(std::size_t bytes, std::size_t most);

/// A part of an AlignedText: text still to be tokenised (id < 0), or an added token found there.
struct Piece {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::int32_t id = -1;
};

/// What a normaliser says about each character it puts out: 0 it replaces the next one of the input, 1 it is
/// new and belongs to the character before, -n it replaces the next one and n more vanish behind it.
struct Change {
  char32_t character;
  std::int32_t change;
};

/// A token in some text: bytes [begin, end) of it.
struct Token {
  std::int32_t id;
  std::uint32_t begin;
  std::uint32_t end;
};

}  // namespace markeval::token
