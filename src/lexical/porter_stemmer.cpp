// The steps 1a to 5 on code points, with nltk's changes marked.
#include "lexical/porter_stemmer.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "lexical/python_text.hpp"

namespace markeval::lexical {
namespace {

using Text = std::u32string_view;

constexpr std::array<std::pair<Text, Text>, 16> kIrregular = {{
    {U"sky", U"sky"},
    {U"skies", U"sky"},
    {U"dying", U"die"},
    {U"lying", U"lie"},
    {U"tying", U"tie"},
    {U"news", U"news"},
    {U"innings", U"inning"},
    {U"inning", U"inning"},
    {U"outings", U"outing"},
    {U"outing", U"outing"},
    {U"cannings", U"canning"},
    {U"canning", U"canning"},
    {U"howe", U"howe"},
    {U"proceed", U"proceed"},
    {U"exceed", U"exceed"},
    {U"succeed", U"succeed"},
}};

constexpr bool is_vowel(char32_t letter) {
  return letter == 'a' || letter == 'e' || letter == 'i' || letter == 'o' || letter == 'u';
}

/// A y is a vowel after a consonant and a consonant elsewhere.
bool is_consonant(Text word, std::size_t i) {
  if (is_vowel(word[i])) return false;
  bool negate = false;
  while (i > 0 && word[i] == 'y') {
    negate = !negate;
    --i;
  }
  return !is_vowel(word[i]) != negate;
}

/// The m of [C](VC){m}[V].
int measure(Text stem) {
  int count = 0;
  bool previous = true;
  for (std::size_t i = 0; i < stem.size(); ++i) {
    const bool consonant = is_vowel(stem[i]) ? false : stem[i] == 'y' ? i == 0 || !previous : true;
    if (i > 0 && consonant && !previous) ++count;
    previous = consonant;
  }
  return count;
}

bool contains_vowel(Text stem) {
  for (std::size_t i = 0; i < stem.size(); ++i) {
    if (!is_consonant(stem, i)) return true;
  }
  return false;
}

bool ends_double_consonant(Text word) {
  return word.size() >= 2 && word[word.size() - 1] == word[word.size() - 2] &&
         is_consonant(word, word.size() - 1);
}

/// *o: consonant, vowel, consonant other than w, x, y; nltk adds: a vowel and a consonant alone.
bool ends_cvc(Text word) {
  const std::size_t n = word.size();
  if (n >= 3) {
    const char32_t last = word[n - 1];
    return is_consonant(word, n - 3) && !is_consonant(word, n - 2) && is_consonant(word, n - 1) &&
           last != 'w' && last != 'x' && last != 'y';
  }
  return n == 2 && !is_consonant(word, 0) && is_consonant(word, 1);
}

struct Rule {
  Text suffix, replacement;
};

/// The first rule whose suffix fits decides: applied where the stem's measure is above `threshold`, else
/// nothing is done.
template <std::size_t count>
bool apply(std::u32string& word, const Rule (&rules)[count], int threshold) {
  for (const Rule& rule : rules) {
    if (!word.ends_with(rule.suffix)) continue;
    const std::size_t length = word.size() - rule.suffix.size();
    if (measure(Text(word).substr(0, length)) > threshold)
      word.replace(length, rule.suffix.size(), rule.replacement);
    return true;
  }
  return false;
}

void cut(std::u32string& word, std::size_t letters) {
  word.resize(word.size() - letters);
}

void step_1a(std::u32string& word) {
  if (word.ends_with(U"ies") && word.size() == 4) {
    cut(word, 1);
  } else if (word.ends_with(U"sses") || word.ends_with(U"ies")) {
    cut(word, 2);
  } else if (word.ends_with(U"s") && !word.ends_with(U"ss")) {
    cut(word, 1);
  }
}

void step_1b(std::u32string& word) {
  if (word.ends_with(U"ied")) {
    cut(word, word.size() == 4 ? 1 : 2);
    return;
  }
  if (word.ends_with(U"eed")) {
    if (measure(Text(word).substr(0, word.size() - 3)) > 0) cut(word, 1);
    return;
  }
  if (word.ends_with(U"ed") && contains_vowel(Text(word).substr(0, word.size() - 2))) {
    cut(word, 2);
  } else if (word.ends_with(U"ing") && contains_vowel(Text(word).substr(0, word.size() - 3))) {
    cut(word, 3);
  } else {
    return;
  }
  if (word.ends_with(U"at") || word.ends_with(U"bl") || word.ends_with(U"iz")) {
    word += U'e';
  } else if (ends_double_consonant(word)) {
    const char32_t last = word.back();
    if (last != 'l' && last != 's' && last != 'z') cut(word, 1);
  } else if (measure(word) == 1 && ends_cvc(word)) {
    word += U'e';
  }
}

void step_1c(std::u32string& word) {
  if (word.ends_with(U"y") && word.size() > 2 &&
      is_consonant(Text(word).substr(0, word.size() - 1), word.size() - 2)) {
    word.back() = U'i';
  }
}

void step_2(std::u32string& word) {
  while (word.ends_with(U"alli") && measure(Text(word).substr(0, word.size() - 4)) > 0) cut(word, 2);
  static constexpr Rule kRules[] = {
      {U"ational", U"ate"}, {U"tional", U"tion"}, {U"enci", U"ence"},   {U"anci", U"ance"},
      {U"izer", U"ize"},    {U"bli", U"ble"},     {U"alli", U"al"},     {U"entli", U"ent"},
      {U"eli", U"e"},       {U"ousli", U"ous"},   {U"ization", U"ize"}, {U"ation", U"ate"},
      {U"ator", U"ate"},    {U"alism", U"al"},    {U"iveness", U"ive"}, {U"fulness", U"ful"},
      {U"ousness", U"ous"}, {U"aliti", U"al"},    {U"iviti", U"ive"},   {U"biliti", U"ble"},
      {U"fulli", U"ful"},
  };
  if (apply(word, kRules, 0)) return;
  // The l of -logi belongs to the stem whose measure is asked for.
  if (word.ends_with(U"logi") && measure(Text(word).substr(0, word.size() - 3)) > 0) cut(word, 1);
}

void step_4(std::u32string& word) {
  static constexpr Rule kBefore[] = {
      {U"al", U""},   {U"ance", U""}, {U"ence", U""},  {U"er", U""},   {U"ic", U""},  {U"able", U""},
      {U"ible", U""}, {U"ant", U""},  {U"ement", U""}, {U"ment", U""}, {U"ent", U""},
  };
  static constexpr Rule kAfter[] = {
      {U"ou", U""}, {U"ism", U""}, {U"ate", U""}, {U"iti", U""}, {U"ous", U""}, {U"ive", U""}, {U"ize", U""},
  };
  if (apply(word, kBefore, 1)) return;
  if (word.ends_with(U"ion")) {
    const Text stem = Text(word).substr(0, word.size() - 3);
    if (measure(stem) > 1 && (stem.back() == 's' || stem.back() == 't')) cut(word, 3);
    return;
  }
  apply(word, kAfter, 1);
}

void step_5(std::u32string& word) {
  if (word.ends_with(U"e")) {
    const Text stem = Text(word).substr(0, word.size() - 1);
    const int m = measure(stem);
    if (m > 1 || (m == 1 && !ends_cvc(stem))) cut(word, 1);
  }
  if (word.ends_with(U"ll") && measure(Text(word).substr(0, word.size() - 1)) > 1) cut(word, 1);
}

}  // namespace

std::string porter_stem(std::string_view original) {
  std::u32string word;
  decode(original, word);
  for (const auto& [form, stem] : kIrregular) {
    if (form == word) return encode(stem);
  }
  if (word.size() <= 2) return std::string(original);
  static constexpr Rule kStep3[] = {
      {U"icate", U"ic"}, {U"ative", U""}, {U"alize", U"al"}, {U"iciti", U"ic"},
      {U"ical", U"ic"},  {U"ful", U""},   {U"ness", U""},
  };
  step_1a(word);
  step_1b(word);
  step_1c(word);
  step_2(word);
  apply(word, kStep3, 0);
  step_4(word);
  step_5(word);
  return encode(word);
}

}  // namespace markeval::lexical
