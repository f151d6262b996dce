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

bool is_punctuation(char letter) {
  return (letter >= '!' && letter <= '/') || (letter >= ':' && letter <= '@') ||
         (letter >= '[' && letter <= '`') || (letter >= '{' && letter <= '~');
}

class Translation {
 public:
  Translation(std::string_view expression, const JsonPlace& place) : in_(expression), place_(place) {}

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
    place_.fail(fmt::format("the regular expression {} is not supported: {}", in_quotes(in_), reason));
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
      property();
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
    const bool whole = braces ? position_ > start && next_is("}") : position_ == start + 2 && in_[start] < '8';
    if (!whole) fail("\\x without {...} or two digits up to 7F");
    if (braces) take(1);
  }

  /// Categories have one letter or two; other names are scripts, which PCRE2 must be told.
  void property() {
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
    out_ += fmt::format("\\{}{{{}{}{}}}", in_[position_ + 1], negated ? "^" : "", name.size() > 2 ? "sc:" : "",
                        name);
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
    if (next_is("?") || next_is("+") || next_is("*") || next_is("{")) fail("a repeat of a repeat is not known");
  }

  std::string_view in_;
  const JsonPlace& place_;
  std::size_t position_ = 0;
  std::string out_;
};

}  // namespace

std::string to_pcre2(std::string_view expression, const JsonPlace& place) {
  return Translation(expression, place).run();
}

}  // namespace markeval::token
