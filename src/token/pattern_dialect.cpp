// The expression is read once, and each part is copied, rewritten or refused.
#include "token/pattern_dialect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/quotation.hpp"
#include "token/json_fields.hpp"

namespace markeval::token {
namespace {

constexpr std::size_t kMostBytes = 10'000;

// PCRE2's own \s has U+180E besides.
constexpr std::string_view kSpaces = R"(\p{Z}\t\n\x{0B}\f\r\x{85})";

// Letters and numbers that came with Unicode 15 and 16. The Oniguruma of tokenizers 0.22.2 has them; PCRE2
// before 10.45 does not.
constexpr std::string_view kNewLetters =
    R"(\x{1C89}-\x{1C8A}\x{A7CB}-\x{A7CD}\x{A7DA}-\x{A7DC}\x{105C0}-\x{105F3}\x{10D4A}-\x{10D65})"
    R"(\x{10D6F}-\x{10D85}\x{10EC2}-\x{10EC4}\x{1123F}-\x{11240}\x{11380}-\x{11389}\x{1138B})"
    R"(\x{1138E}\x{11390}-\x{113B5}\x{113B7}\x{113D1}\x{113D3}\x{11BC0}-\x{11BE0}\x{11F02})"
    R"(\x{11F04}-\x{11F10}\x{11F12}-\x{11F33}\x{1342F}\x{13441}-\x{13446}\x{13460}-\x{143FA})"
    R"(\x{16100}-\x{1611D}\x{16D40}-\x{16D6C}\x{18CFF}\x{1B132}\x{1B155}\x{1DF25}-\x{1DF2A})"
    R"(\x{1E030}-\x{1E06D}\x{1E4D0}-\x{1E4EB}\x{1E5D0}-\x{1E5ED}\x{1E5F0}\x{2B739})"
    R"(\x{2EBF0}-\x{2EE5D}\x{31350}-\x{323AF})";
constexpr std::string_view kNewNumbers =
    R"(\x{10D40}-\x{10D49}\x{116D0}-\x{116E3}\x{11BF0}-\x{11BF9}\x{11F50}-\x{11F59})"
    R"(\x{16130}-\x{16139}\x{16D70}-\x{16D79}\x{1CCF0}-\x{1CCF9}\x{1D2C0}-\x{1D2D3})"
    R"(\x{1E4F0}-\x{1E4F9}\x{1E5F1}-\x{1E5FA})";

bool is_punctuation(char letter) {
  return (letter >= '!' && letter <= '/') || (letter >= ':' && letter <= '@') ||
         (letter >= '[' && letter <= '`') || (letter >= '{' && letter <= '~');
}

class Translation {
 public:
  Translation(std::string_view expression, const JsonPath& where) : in_(expression), where_(where) {}

  std::string run() {
    if (in_.size() > kMostBytes) fail(fmt::format("longer than {} bytes", kMostBytes));
    while (position_ < in_.size()) {
      const char letter = in_[position_];
      if (letter == '\\') {
        escape(false);
      } else if (letter == '[') {
        set();
      } else if (letter == '(') {
        group();
      } else if (letter == '{') {
        repeat();
      } else {
        take(1);
      }
    }
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    where_.fail(fmt::format("the regular expression {} is not supported: {}", in_quotes(in_), reason));
  }
  bool next_is(std::string_view text) const { return in_.substr(position_).starts_with(text); }
  void take(std::size_t bytes) {
    out_ += in_.substr(position_, bytes);
    position_ += bytes;
  }

  void escape(bool in_set) {
    if (position_ + 1 >= in_.size()) fail("it ends with '\\'");
    const char letter = in_[position_ + 1];
    if (letter == 's' || letter == 'S') {
      position_ += 2;
      const std::string spaces = in_set ? std::string(kSpaces) : fmt::format("[{}]", kSpaces);
      if (letter == 's') out_ += spaces;
      if (letter == 'S') out_ += in_set ? R"(\S\x{180E})" : fmt::format("[^{}]", kSpaces);
    } else if (letter == 'p' || letter == 'P') {
      property(in_set);
    } else if (letter == 'x') {
      code_point();
    } else if (std::string_view("nrtfdD").find(letter) != std::string_view::npos || is_punctuation(letter)) {
      take(2);
    } else {
      fail(fmt::format("{} is not known", in_quotes(in_.substr(position_, 2))));
    }
  }

  /// \xHH or \x{H...}. Above 7F the first is a byte for Oniguruma and a character for PCRE2.
  void code_point() {
    take(2);
    const bool braces = next_is("{");
    if (braces) take(1);
    const std::size_t start = position_;
    while (position_ < in_.size() && std::isxdigit(static_cast<unsigned char>(in_[position_])) != 0 &&
           (braces || position_ < start + 2))
      take(1);
    const bool whole =
        braces ? position_ > start && next_is("}") : position_ == start + 2 && in_[start] < '8';
    if (!whole) fail("\\x without {...} or two digits up to 7F");
    if (braces) take(1);
  }

  /// Categories have one letter or two; other names are scripts, which PCRE2 must be told.
  void property(bool in_set) {
    const std::size_t end = in_.find('}', position_);
    if (position_ + 2 >= in_.size() || in_[position_ + 2] != '{' || end == std::string_view::npos)
      fail("\\p without {...}");
    std::string_view name = in_.substr(position_ + 3, end - position_ - 3);
    const bool negated = name.starts_with('^');
    if (negated) name.remove_prefix(1);
    const bool letters = std::all_of(name.begin(), name.end(), [](char letter) {
      return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_';
    });
    if (name.empty() || !letters) fail(fmt::format("{} is no property", in_quotes(name)));
    const bool without = negated != (in_[position_ + 1] == 'P');
    const std::string_view more = name == "L" ? kNewLetters : name == "N" ? kNewNumbers : "";
    if (more.empty() || (without && in_set)) {
      out_ += fmt::format("\\{}{{{}{}}}", without ? 'P' : 'p', name.size() > 2 ? "sc:" : "", name);
    } else if (in_set) {
      out_ += fmt::format("\\p{{{}}}{}", name, more);
    } else {
      out_ += fmt::format("[{}\\p{{{}}}{}]", without ? "^" : "", name, more);
    }
    position_ = end + 1;
  }

  void set() {
    take(1);
    if (next_is("^")) take(1);
    if (next_is("]")) {  // as the first character it stands for itself
      out_ += "\\]";
      ++position_;
    }
    while (!next_is("]")) {
      if (position_ >= in_.size()) fail("a set without its ']'");
      if (next_is("[") || next_is("&&")) fail("sets inside sets are not known");
      if (next_is("\\")) {
        escape(true);
      } else {
        take(1);
      }
    }
    take(1);
  }

  void group() {
    if (next_is("(*")) fail("'(*' is not known");
    if (!next_is("(?")) return take(1);
    for (const std::string_view kind : {"(?:", "(?=", "(?!", "(?>", "(?<=", "(?<!", "(?i:"}) {
      if (next_is(kind)) return take(kind.size());
    }
    fail(fmt::format("{} is not known", in_quotes(in_.substr(position_, 3))));
  }

  /// {m}, {m,} or {m,n}; {m,n}? is lazy. Oniguruma repeats a repeat where PCRE2 has {m}? and {m,n}+.
  void repeat() {
    const std::size_t start = position_;
    take(1);
    const auto number = [&] {
      const std::size_t begin = position_;
      while (position_ < in_.size() && in_[position_] >= '0' && in_[position_] <= '9') take(1);
      if (position_ - begin > 4) fail("a repeat above 9999");
      return position_ > begin;
    };
    bool range = false;
    const bool first = number();
    if (first && next_is(",")) {
      range = true;
      take(1);
      number();
    }
    if (!first || !next_is("}")) fail(fmt::format("{} is no repeat", in_quotes(in_.substr(start, 8))));
    take(1);
    if (range && next_is("?")) return take(1);
    if (next_is("?") || next_is("+") || next_is("*") || next_is("{"))
      fail("a repeat of a repeat is not known");
  }

  std::string_view in_;
  const JsonPath& where_;
  std::size_t position_ = 0;
  std::string out_;
};

}  // namespace

std::string to_pcre2(std::string_view expression, const JsonPath& where) {
  return Translation(expression, where).run();
}

}  // namespace markeval::token
