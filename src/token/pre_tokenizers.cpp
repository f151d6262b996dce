// The pre-tokenizers of tokenizer.json, one small class each, and the function that makes them from JSON.
#include <fmt/format.h>

#include <optional>

#include "base/cancellation.hpp"
#include "base/quotation.hpp"
#include "token/byte_alphabet.hpp"
#include "token/json_fields.hpp"
#include "token/pre_tokenizer.hpp"
#include "token/split_behavior.hpp"
#include "token/text_pattern.hpp"
#include "token/unicode.hpp"

namespace markeval::token {
namespace {

// Cuts every open piece by `cut(text, piece, out)`; the text stays as it is.
template <typename Cut>
void cut_pieces(PieceList& list, PieceList& spare, Cut cut) {
  spare.pieces.clear();
  for (const Piece& piece : list.pieces) {
    if (piece.id >= 0) {
      spare.pieces.push_back(piece);
    } else {
      cut(std::string_view(list.text.text), piece, spare.pieces);
    }
  }
  std::swap(list.pieces, spare.pieces);
}

// Rewrites every open piece by `rewrite(in, piece, out)`, which appends to out.text and out.pieces.
template <typename Rewrite>
void rewrite_pieces(PieceList& list, PieceList& spare, Rewrite rewrite) {
  spare.pieces.clear();
  spare.text.clear();
  spare.text.tracked = list.text.tracked;
  spare.most_bytes = list.most_bytes;
  for (const Piece& piece : list.pieces) {
    check_cancelled();
    if (piece.id >= 0) {
      const auto begin = static_cast<std::uint32_t>(spare.text.text.size());
      spare.text.append_part(list.text, piece.begin, piece.end);
      spare.pieces.push_back({begin, static_cast<std::uint32_t>(spare.text.text.size()), piece.id});
    } else {
      rewrite(list.text, piece, spare);
    }
  }
  require_text_room(spare.text.text.size(), list.most_bytes);
  std::swap(list, spare);
}

template <typename Matches>
void split_by_character(std::string_view text, const Piece& piece, Matches matches,
                        std::vector<SplitPart>& parts) {
  parts.clear();
  std::uint32_t last = piece.begin;
  for (std::size_t position = piece.begin; position < piece.end;) {
    const auto begin = static_cast<std::uint32_t>(position);
    if (!matches(text::decode(text, position))) continue;
    if (last < begin) parts.push_back({last, begin, false});
    last = static_cast<std::uint32_t>(position);
    parts.push_back({begin, last, true});
  }
  if (last < piece.end) parts.push_back({last, piece.end, false});
}

class SequencePreTokenizer : public PreTokenizer {
 public:
  explicit SequencePreTokenizer(std::vector<std::unique_ptr<PreTokenizer>> parts)
      : parts_(std::move(parts)) {}
  void apply(PieceList& list, PieceList& spare) const override {
    for (const auto& part : parts_) part->apply(list, spare);
  }
  bool needs_source() const override {
    for (const auto& part : parts_) {
      if (part->needs_source()) return true;
    }
    return false;
  }

 private:
  std::vector<std::unique_ptr<PreTokenizer>> parts_;
};

// Words at white space, punctuation apart.
class BertPreTokenizer : public PreTokenizer {
 public:
  void apply(PieceList& list, PieceList& spare) const override {
    const UnicodeData& unicode = UnicodeData::get();
    cut_pieces(list, spare, [&](std::string_view text, const Piece& piece, std::vector<Piece>& out) {
      std::uint32_t begin = piece.begin;
      for (std::size_t position = piece.begin; position < piece.end;) {
        const auto start = static_cast<std::uint32_t>(position);
        const std::uint16_t properties = unicode[text::decode(text, position)].properties;
        if ((properties & (kWhiteSpace | kPunctuation)) == 0) continue;
        if (begin < start) out.push_back({begin, start, -1});
        begin = static_cast<std::uint32_t>(position);
        if ((properties & kWhiteSpace) == 0) out.push_back({start, begin, -1});
      }
      if (begin < piece.end) out.push_back({begin, piece.end, -1});
    });
  }
};

class CharacterSplit : public PreTokenizer {
 public:
  CharacterSplit(Property property, SplitBehavior behavior) : property_(property), behavior_(behavior) {}
  void apply(PieceList& list, PieceList& spare) const override {
    const UnicodeData& unicode = UnicodeData::get();
    std::vector<SplitPart> parts;
    cut_pieces(list, spare, [&](std::string_view text, const Piece& piece, std::vector<Piece>& out) {
      split_by_character(
          text, piece, [&](char32_t c) { return unicode.has(c, property_); }, parts);
      append_pieces(parts, behavior_, out);
    });
  }

 private:
  Property property_;
  SplitBehavior behavior_;
};

class DelimiterSplit : public PreTokenizer {
 public:
  explicit DelimiterSplit(char32_t delimiter) : delimiter_(delimiter) {}
  void apply(PieceList& list, PieceList& spare) const override {
    std::vector<SplitPart> parts;
    cut_pieces(list, spare, [&](std::string_view text, const Piece& piece, std::vector<Piece>& out) {
      split_by_character(
          text, piece, [&](char32_t c) { return c == delimiter_; }, parts);
      append_pieces(parts, SplitBehavior::removed, out);
    });
  }

 private:
  char32_t delimiter_;
};

// \w+|[^\w\s]+ as words, everything else dropped.
class WhitespacePreTokenizer : public PreTokenizer {
 public:
  void apply(PieceList& list, PieceList& spare) const override {
    const UnicodeData& unicode = UnicodeData::get();
    const auto kind_at = [&](std::string_view text, std::size_t& position) {
      const std::uint16_t properties = unicode[text::decode(text, position)].properties;
      return (properties & kWord) != 0 ? 1 : (properties & kWhiteSpace) != 0 ? 0 : 2;
    };
    cut_pieces(list, spare, [&](std::string_view text, const Piece& piece, std::vector<Piece>& out) {
      std::size_t begin = piece.begin;
      int kind = 0;
      for (std::size_t position = piece.begin; position < piece.end;) {
        const std::size_t start = position;
        const int next = kind_at(text, position);
        if (next == kind) continue;
        if (kind != 0)
          out.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(start), -1});
        kind = next;
        begin = start;
      }
      if (kind != 0) out.push_back({static_cast<std::uint32_t>(begin), piece.end, -1});
    });
  }
};

class PatternSplit : public PreTokenizer {
 public:
  PatternSplit(TextPattern pattern, SplitBehavior behavior, bool invert)
      : pattern_(std::move(pattern)), behavior_(behavior), invert_(invert) {}
  void apply(PieceList& list, PieceList& spare) const override {
    std::vector<SplitPart> parts;
    cut_pieces(list, spare, [&](std::string_view text, const Piece& piece, std::vector<Piece>& out) {
      const std::string_view inside = text.substr(piece.begin, piece.end - piece.begin);
      parts.clear();
      std::size_t last = 0;
      const auto put = [&](std::size_t begin, std::size_t end, bool match) {
        if (begin == end) return;
        parts.push_back({static_cast<std::uint32_t>(piece.begin + begin),
                         static_cast<std::uint32_t>(piece.begin + end), match != invert_});
      };
      PatternSearch search(pattern_, inside);
      while (const auto match = search.next()) {
        put(last, match->begin, false);
        put(match->begin, match->end, true);
        last = match->end;
      }
      put(last, inside.size(), false);
      append_pieces(parts, behavior_, out);
    });
  }

 private:
  TextPattern pattern_;
  SplitBehavior behavior_;
  bool invert_;
};

// Blanks become a visible mark, and each mark starts a word.
class Metaspace : public PreTokenizer {
 public:
  enum class Prepend { always, first, never };
  Metaspace(std::string mark, Prepend prepend, bool split)
      : mark_(std::move(mark)), prepend_(prepend), split_(split) {}
  bool needs_source() const override { return prepend_ == Prepend::first; }

  void apply(PieceList& list, PieceList& spare) const override {
    rewrite_pieces(list, spare, [&](const AlignedText& in, const Piece& piece, PieceList& out) {
      std::string_view text(in.text);
      text = text.substr(0, piece.end);
      auto begin = static_cast<std::uint32_t>(out.text.text.size());
      const auto close = [&](std::uint32_t end) {
        if (begin < end) out.pieces.push_back({begin, end, -1});
        begin = end;
      };
      const bool marked = text[piece.begin] == ' ' || text.substr(piece.begin).starts_with(mark_);
      const bool wanted =
          prepend_ == Prepend::always || (prepend_ == Prepend::first && in.source_at(piece.begin).begin == 0);
      if (wanted && !marked) out.text.append(mark_, in.source_at(piece.begin));
      for (std::size_t position = piece.begin; position < piece.end;) {
        const bool blank = text[position] == ' ';
        const std::size_t bytes = text::character_bytes(text[position]);
        if (split_ && (blank || text.substr(position).starts_with(mark_))) {
          close(static_cast<std::uint32_t>(out.text.text.size()));
        }
        if (blank) {
          out.text.append(mark_, in.source_at(position));
        } else {
          out.text.append_part(in, position, position + bytes);
        }
        position += bytes;
      }
      close(static_cast<std::uint32_t>(out.text.text.size()));
    });
  }

 private:
  std::string mark_;
  Prepend prepend_;
  bool split_;
};

// GPT-2's cut, then each byte as a character of its alphabet.
class ByteLevelPreTokenizer : public PreTokenizer {
 public:
  ByteLevelPreTokenizer(bool add_prefix_space, bool use_regex)
      : add_prefix_space_(add_prefix_space), use_regex_(use_regex) {}

  void apply(PieceList& list, PieceList& spare) const override {
    std::string prefixed;
    rewrite_pieces(list, spare, [&](const AlignedText& in, const Piece& piece, PieceList& out) {
      std::string_view text = std::string_view(in.text).substr(piece.begin, piece.end - piece.begin);
      std::size_t added = 0;
      if (add_prefix_space_ && !text.starts_with(' ')) {
        prefixed.assign(1, ' ');
        prefixed.append(text);
        text = prefixed;
        added = 1;
      }
      for (std::size_t position = 0; position < text.size();) {
        const std::size_t end = use_regex_ ? gpt2_piece_end(text, position) : text.size();
        const auto begin = static_cast<std::uint32_t>(out.text.text.size());
        for (; position < end; ++position) {
          const std::size_t source = piece.begin + (position < added ? 0 : position - added);
          out.text.append(byte_characters()[static_cast<unsigned char>(text[position])],
                          in.source_at(source));
        }
        out.pieces.push_back({begin, static_cast<std::uint32_t>(out.text.text.size()), -1});
      }
    });
  }

 private:
  bool add_prefix_space_;
  bool use_regex_;
};

SplitBehavior read_behavior(const json& component, std::optional<std::string> fallback,
                            const JsonPath& where) {
  const std::string name = read_string(component, "behavior", std::move(fallback), where);
  if (name == "Removed") return SplitBehavior::removed;
  if (name == "Isolated") return SplitBehavior::isolated;
  if (name == "MergedWithPrevious") return SplitBehavior::merged_with_previous;
  if (name == "MergedWithNext") return SplitBehavior::merged_with_next;
  if (name == "Contiguous") return SplitBehavior::contiguous;
  where.fail(fmt::format("behavior {} is not known", in_quotes(name)));
}

std::unique_ptr<PreTokenizer> make_metaspace(const json& component, const JsonPath& where) {
  const std::string mark = read_string(component, "replacement", std::nullopt, where);
  if (text::count_characters(mark) != 1) where.fail("'replacement' must be one character");
  const std::string scheme = read_string(component, "prepend_scheme", "always", where);
  auto prepend = Metaspace::Prepend::always;
  if (scheme == "first") {
    prepend = Metaspace::Prepend::first;
  } else if (scheme == "never") {
    prepend = Metaspace::Prepend::never;
  } else if (scheme != "always") {
    where.fail(fmt::format("prepend_scheme {} is not known; known: always, first, never", in_quotes(scheme)));
  }
  if (!read_bool(component, "add_prefix_space", true, where) && prepend != Metaspace::Prepend::never) {
    where.fail("add_prefix_space is false but prepend_scheme is not 'never'");
  }
  return std::make_unique<Metaspace>(mark, prepend, read_bool(component, "split", true, where));
}

}  // namespace

std::unique_ptr<PreTokenizer> make_pre_tokenizer(const json& component, const JsonPath& where) {
  const std::string type = read_type(component, where);
  const JsonPath inside = where / type;
  if (type == "BertPreTokenizer") return std::make_unique<BertPreTokenizer>();
  if (type == "Sequence") {
    std::vector<std::unique_ptr<PreTokenizer>> parts;
    for (const json& part : require_array(component, "pretokenizers", inside)) {
      parts.push_back(make_pre_tokenizer(part, inside));
    }
    return std::make_unique<SequencePreTokenizer>(std::move(parts));
  }
  if (type == "ByteLevel") {
    return std::make_unique<ByteLevelPreTokenizer>(
        read_bool(component, "add_prefix_space", std::nullopt, inside),
        read_bool(component, "use_regex", true, inside));
  }
  if (type == "Metaspace") return make_metaspace(component, inside);
  if (type == "Whitespace") return std::make_unique<WhitespacePreTokenizer>();
  if (type == "WhitespaceSplit") return std::make_unique<CharacterSplit>(kWhiteSpace, SplitBehavior::removed);
  if (type == "Digits") {
    const bool single = read_bool(component, "individual_digits", std::nullopt, inside);
    return std::make_unique<CharacterSplit>(kNumeric,
                                            single ? SplitBehavior::isolated : SplitBehavior::contiguous);
  }
  if (type == "Punctuation") {
    return std::make_unique<CharacterSplit>(kPunctuation, read_behavior(component, "Isolated", inside));
  }
  if (type == "CharDelimiterSplit") {
    const std::string delimiter = read_string(component, "delimiter", std::nullopt, inside);
    if (text::count_characters(delimiter) != 1) inside.fail("'delimiter' must be one character");
    std::size_t position = 0;
    return std::make_unique<DelimiterSplit>(text::decode(delimiter, position));
  }
  if (type == "Split") {
    return std::make_unique<PatternSplit>(TextPattern(require_field(component, "pattern", inside), inside),
                                          read_behavior(component, std::nullopt, inside),
                                          read_bool(component, "invert", std::nullopt, inside));
  }
  fail_unknown_type(type,
                    {"BertPreTokenizer", "Sequence", "ByteLevel", "Metaspace", "Whitespace",
                     "WhitespaceSplit", "Digits", "Punctuation", "CharDelimiterSplit", "Split"},
                    where);
}

}  // namespace markeval::token
