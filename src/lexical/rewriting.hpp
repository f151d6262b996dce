// The rewriting steps the tokenisers of the public tools are made of: each does what one re.sub() of theirs
// does, left to right over the text, matches not overlapping.
#pragma once

#include <string>
#include <string_view>

#include "base/cancellation.hpp"
#include "lexical/python_text.hpp"

namespace markeval::lexical {

/// str.replace(): every `from` becomes `to`, what is put in is not looked at again.
inline void replace_all(std::u32string& text, std::u32string_view from, std::u32string_view to) {
  std::size_t at = text.find(from);
  if (at == std::u32string::npos) return;
  std::u32string result;
  std::size_t done = 0;
  for (; at != std::u32string::npos; at = text.find(from, done)) {
    result.append(text, done, at - done).append(to);
    done = at + from.size();
  }
  text = result.append(text, done);
}

/// Puts a space before and after each character `matches` picks.
template <typename Predicate>
void isolate(std::u32string_view text, std::u32string& out, Predicate matches) {
  out.resize(3 * text.size());
  char32_t* end = out.data();
  for (const char32_t code : text) {
    if (matches(code)) {
      *end++ = ' ';
      *end++ = code;
      *end++ = ' ';
    } else {
      *end++ = code;
    }
  }
  out.resize(static_cast<std::size_t>(end - out.data()));
}

/// What to put around the two characters of a matched pair.
enum class Spacing {
  between_and_after,   ///< "ab" -> "a b "
  before_and_between,  ///< "ab" -> " a b"
};

/// Each pair of neighbours with first(a) and second(b) gets spaces; its characters take part in no other
/// pair.
template <typename First, typename Second>
void separate_pairs(std::u32string_view text, std::u32string& out, Spacing spacing, First first,
                    Second second) {
  out.resize(2 * text.size());
  char32_t* end = out.data();
  std::size_t i = 0;
  while (i < text.size()) {
    if (i + 1 < text.size() && second(text[i + 1]) && first(text[i])) {
      if (spacing == Spacing::before_and_between) *end++ = ' ';
      *end++ = text[i];
      *end++ = ' ';
      *end++ = text[i + 1];
      if (spacing == Spacing::between_and_after) *end++ = ' ';
      i += 2;
    } else {
      *end++ = text[i++];
    }
  }
  out.resize(static_cast<std::size_t>(end - out.data()));
}

/// ASCII punctuation that mteval-v13a always splits off; the space, which its class holds too, needs no space
/// around it.
constexpr bool is_western_symbol(char32_t code) {
  return (code >= '{' && code <= '~') || (code >= '[' && code <= '`') || (code > ' ' && code <= '&') ||
         (code >= '(' && code <= '+') || (code >= ':' && code <= '@') || code == '/';
}

/// The four steps shared by 13a, zh and TER's normalisation, after symbols have been isolated: full stop and
/// comma unless a digit is before, unless a digit is after, a hyphen after a digit. `text` is rewritten by
/// way of `spare`.
inline void separate_western_punctuation(std::u32string& text, std::u32string& spare) {
  const auto stop_or_comma = [](char32_t code) { return code == '.' || code == ','; };
  const auto no_digit = [](char32_t code) { return !is_ascii_digit(code); };
  separate_pairs(text, spare, Spacing::between_and_after, no_digit, stop_or_comma);
  check_cancelled();
  separate_pairs(spare, text, Spacing::before_and_between, stop_or_comma, no_digit);
  check_cancelled();
  separate_pairs(text, spare, Spacing::between_and_after, is_ascii_digit,
                 [](char32_t code) { return code == '-'; });
  text.swap(spare);
}

/// &quot; &amp; &lt; &gt; in that order, so "&amp;lt;" ends as "<".
inline void unescape_entities(std::u32string& text) {
  if (text.find(U'&') == std::u32string::npos) return;
  replace_all(text, U"&quot;", U"\"");
  replace_all(text, U"&amp;", U"&");
  replace_all(text, U"&lt;", U"<");
  replace_all(text, U"&gt;", U">");
}

}  // namespace markeval::lexical
