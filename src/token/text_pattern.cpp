#include "token/text_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "text/utf8.hpp"
#include "token/json_fields.hpp"
#include "token/unicode.hpp"

namespace markeval::token {
namespace {

constexpr std::string_view kGpt2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kMaxRepeat = 1000;

// White space, letter, number or anything else: the four kinds of GPT-2's pattern.
enum class Kind { space, letter, number, rest };

Kind kind_of(char32_t character) {
  const std::uint16_t properties = UnicodeData::get()[character].properties;
  if ((properties & kLetter) != 0) return Kind::letter;
  if ((properties & kNumber) != 0) return Kind::number;
  return (properties & kSpace) != 0 ? Kind::space : Kind::rest;
}

std::size_t contraction_bytes(std::string_view text) {
  for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    if (text.starts_with(ending)) return ending.size();
  }
  return 0;
}

}  // namespace

std::size_t gpt2_piece_end(std::string_view text, std::size_t position) {
  if (text[position] == '\'') {
    if (const std::size_t bytes = contraction_bytes(text.substr(position))) return position + bytes;
  }
  const std::size_t start = position;
  Kind kind = kind_of(text::decode(text, position));
  if (text[start] == ' ' && position < text.size()) {
    std::size_t next = position;
    const Kind following = kind_of(text::decode(text, next));
    if (following != Kind::space) {  // one blank belongs to what follows
      kind = following;
      position = next;
    }
  }
  std::size_t last = start;  // where the last character of the run starts
  if (kind != Kind::space) last = position;
  while (position < text.size()) {
    std::size_t next = position;
    if (kind_of(text::decode(text, next)) != kind) break;
    last = position;
    position = next;
  }
  // White space before a word leaves its last character to the word.
  if (kind == Kind::space && position < text.size() && last > start) return last;
  return position;
}

bool TextPattern::Atom::matches(char32_t character) const {
  const std::uint16_t found = UnicodeData::get()[character].properties;
  bool inside = (found & properties) != 0 || (not_properties != 0 && (found & not_properties) == 0);
  for (const auto& [first, last] : ranges) inside = inside || (character >= first && character <= last);
  return inside != negated;
}

class TextPattern::Parser {
 public:
  Parser(std::string_view pattern, const JsonPlace& place) : pattern_(pattern), place_(place) {}

  std::vector<Sequence> parse() {
    std::vector<Sequence> alternatives(1);
    while (position_ < pattern_.size()) {
      if (pattern_[position_] == '|') {
        ++position_;
        alternatives.emplace_back();
        continue;
      }
      alternatives.back().push_back(parse_atom());
      parse_quantifier(alternatives.back().back());
    }
    for (const Sequence& sequence : alternatives) {
      if (std::all_of(sequence.begin(), sequence.end(), [](const Atom& atom) { return atom.least == 0; })) {
        fail("matches the empty string");
      }
    }
    return alternatives;
  }

 private:
  [[noreturn]] void fail(std::string_view reason) const {
    place_.fail(fmt::format("the regular expression '{}' is not supported: {}", pattern_, reason));
  }
  char32_t take() {
    if (position_ >= pattern_.size()) fail("it ends too early");
    return text::decode(pattern_, position_);
  }
  bool next_is(char character) const {
    return position_ < pattern_.size() && pattern_[position_] == character;
  }

  void parse_escape(Atom& atom) {
    const char32_t escaped = take();
    switch (escaped) {
      case 's':
        atom.properties |= kSpace;
        return;
      case 'S':
        atom.not_properties |= kSpace;
        return;
      case 'n':
        atom.ranges.emplace_back('\n', '\n');
        return;
      case 'r':
        atom.ranges.emplace_back('\r', '\r');
        return;
      case 't':
        atom.ranges.emplace_back('\t', '\t');
        return;
      case 'p':
        for (const auto& [name, property] : {std::pair{"{L}", kLetter}, std::pair{"{N}", kNumber}}) {
          if (pattern_.substr(position_).starts_with(name)) {
            position_ += 3;
            atom.properties |= property;
            return;
          }
        }
        fail("only \\p{L} and \\p{N} are known");
      default:
        if (escaped < 0x80 && UnicodeData::get().has(escaped, kPunctuation)) {
          atom.ranges.emplace_back(escaped, escaped);
          return;
        }
        fail(fmt::format("'\\{}' is not known", escaped < 0x80 ? static_cast<char>(escaped) : '?'));
    }
  }

  Atom parse_set() {
    Atom atom;
    if (next_is('^')) {
      ++position_;
      atom.negated = true;
    }
    bool first = true;
    while (first || !next_is(']')) {
      first = false;
      const char32_t low = take();
      if (low == '\\') {
        parse_escape(atom);
      } else if (low == '[' || low == '&') {
        fail("sets inside sets are not known");
      } else if (next_is('-') && position_ + 1 < pattern_.size() && pattern_[position_ + 1] != ']') {
        ++position_;
        const char32_t high = take();
        if (high == '\\' || high < low) fail("a range in a set is wrong");
        atom.ranges.emplace_back(low, high);
      } else {
        atom.ranges.emplace_back(low, low);
      }
    }
    ++position_;
    return atom;
  }

  Atom parse_atom() {
    Atom atom;
    const char32_t character = take();
    if (character == '\\') {
      parse_escape(atom);
    } else if (character == '[') {
      atom = parse_set();
    } else if (character < 0x80 &&
               std::string_view("(){}.^$*+?]").find(static_cast<char>(character)) != std::string_view::npos) {
      fail(fmt::format("'{}' is not known here", static_cast<char>(character)));
    } else {
      atom.ranges.emplace_back(character, character);
    }
    return atom;
  }

  std::size_t parse_number() {
    std::size_t value = 0;
    if (position_ >= pattern_.size() || pattern_[position_] < '0' || pattern_[position_] > '9')
      fail("a bad repeat");
    while (position_ < pattern_.size() && pattern_[position_] >= '0' && pattern_[position_] <= '9') {
      value = value * 10 + static_cast<std::size_t>(pattern_[position_++] - '0');
      if (value > kMaxRepeat) fail("a repeat above 1000");
    }
    return value;
  }

  void parse_quantifier(Atom& atom) {
    if (next_is('*') || next_is('+') || next_is('?')) {
      const char32_t sign = take();
      atom.least = sign == '+' ? 1 : 0;
      atom.most = sign == '?' ? 1 : kUnlimited;
    } else if (next_is('{')) {
      ++position_;
      atom.least = parse_number();
      atom.most = atom.least;
      if (next_is(',')) {
        ++position_;
        atom.most = next_is('}') ? kUnlimited : parse_number();
      }
      if (!next_is('}') || atom.most < atom.least || atom.most == 0) fail("a bad repeat");
      ++position_;
    }
    if (next_is('*') || next_is('+') || next_is('?') || next_is('{'))
      fail("a repeat of a repeat is not known");
  }

  std::string_view pattern_;
  const JsonPlace& place_;
  std::size_t position_ = 0;
};

TextPattern::TextPattern(const json& description, const JsonPlace& place) {
  if (const json* literal = find_field(description, "String"); literal != nullptr && literal->is_string()) {
    literal_ = literal->get<std::string>();
    if (literal_.empty()) place.fail("an empty string as pattern");
  } else if (const json* regex = find_field(description, "Regex"); regex != nullptr && regex->is_string()) {
    const std::string expression = regex->get<std::string>();
    if (expression == kGpt2) {
      gpt2_ = true;
    } else {
      alternatives_ = Parser(expression, place).parse();
    }
  } else {
    place.fail("a pattern must be {\"String\": ...} or {\"Regex\": ...}");
  }
}

// Tries the longest repeat of each atom first, then shorter ones. Depth is bounded by the number of atoms.
std::optional<std::size_t> TextPattern::match_at(const Sequence& atoms, std::size_t index,
                                                 std::string_view text, std::size_t position) const {
  if (index == atoms.size()) return position;
  const Atom& atom = atoms[index];
  std::size_t count = 0;
  std::size_t end = position;
  while (count < atom.most && end < text.size()) {
    std::size_t next = end;
    if (!atom.matches(text::decode(text, next))) break;
    end = next;
    ++count;
  }
  while (count >= atom.least) {
    if (const auto found = match_at(atoms, index + 1, text, end)) return found;
    if (count == 0) return std::nullopt;
    --count;
    do {
      --end;
    } while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80);
  }
  return std::nullopt;
}

std::optional<TextPattern::Match> TextPattern::find(std::string_view text, std::size_t position) const {
  if (!literal_.empty()) {
    const std::size_t found = text.find(literal_, position);
    if (found == std::string_view::npos) return std::nullopt;
    return Match{found, found + literal_.size()};
  }
  if (gpt2_) {
    if (position >= text.size()) return std::nullopt;
    return Match{position, gpt2_piece_end(text, position)};
  }
  while (position < text.size()) {
    for (const Sequence& atoms : alternatives_) {
      const auto end = match_at(atoms, 0, text, position);
      if (end && *end > position) return Match{position, *end};
    }
    position += text::character_bytes(text[position]);
  }
  return std::nullopt;
}

}  // namespace markeval::token
