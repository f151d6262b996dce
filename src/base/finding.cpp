// The sentence of each kind of finding, made from its words and counts; empty where the counts are harmless.
#include "base/finding.hpp"

#include <fmt/format.h>

#include <cmath>

namespace markeval {
namespace {

using Counts = std::vector<std::uint64_t>;
using Words = std::vector<std::string>;

constexpr std::uint64_t kTokenizedLines = 100;  // as in sacrebleu
constexpr std::uint64_t kFewestTexts = 20;      // a share of fewer is no evidence
constexpr double kDistinctShare = 0.95;
constexpr double kCopiedShare = 0.02;  // people's own texts repeat each other now and then

double share(std::uint64_t part, std::uint64_t whole) {
  return 100 * static_cast<double>(part) / static_cast<double>(whole);
}

/// Letters as lexical::LetterCounts has them.
struct Letters {
  std::uint64_t letters, ascii, han, unspaced, hangul;
};
Letters letters_at(const Counts& counts, std::size_t begin) {
  return {counts[begin], counts[begin + 1], counts[begin + 2], counts[begin + 3], counts[begin + 4]};
}

/// Mostly in a script whose words have several letters, and not Latin: Cyrillic, Greek, Arabic, ... A model
/// that knows it has longer pieces than one letter. Accents make a letter of Latin text none of a to z, too,
/// but never of most letters.
bool is_foreign(const Letters& found) {
  return (found.letters - found.ascii - found.han - found.unspaced - found.hangul) * 2 > found.letters;
}

std::string of_unread_letters(const Words& words, const Counts& counts) {
  const Letters found = letters_at(counts, 0);
  if (words[2] == kReadsAscii) {
    if ((found.letters - found.ascii) * 2 <= found.letters) return "";
    return fmt::format(
        "{}: {} of {} letters of {} are dropped, since ROUGE counts a to z only; chrf reads every script",
        words[0], found.letters - found.ascii, found.letters, words[1]);
  }
  const std::uint64_t joined = found.unspaced + (words[2] == kReadsSpaced ? found.han : 0);
  if (joined * 2 <= found.letters) return "";
  const bool chinese = found.unspaced * 5 < found.han;  // else Japanese, Thai, ...
  return fmt::format(
      "{}: {} of {} letters of {} are of a script without blanks between words, so whole phrases are taken "
      "for one word; {}chrf needs no words",
      words[0], joined, found.letters, words[1], chinese ? words[3] : words[4]);
}

std::string of_cut_texts(const Words& words, const Counts& counts) {
  const std::size_t at = counts[0] > 0 ? 0 : 4;
  const std::uint64_t cut = counts[at], texts = counts[at + 1], cut_tokens = counts[at + 2];
  if (cut == 0) return "";
  return fmt::format(
      "{}: {} of {} texts are longer than {} and were cut ({:.0f} % of all tokens); --long window reads them "
      "whole",
      words[0], cut, texts, words[1], share(cut_tokens, counts[at + 3] + cut_tokens));
}

std::string of_unread_tokens(const Words& words, const Counts& counts) {
  const std::size_t at = counts[0] > 0 ? 0 : 3;
  const std::uint64_t unknown = counts[at + 1], tokens = counts[at + 2];
  const Letters letters = letters_at(counts, 6);
  std::string fault;
  if (unknown * 100 > tokens) {
    fault = fmt::format("{} of {} tokens ({:.0f} %) are unknown to {}", unknown, tokens,
                        share(unknown, tokens), words[1]);
  } else if (is_foreign(letters) && letters.letters * 2 < tokens * 3) {
    fault = fmt::format("{} spells these texts almost letter by letter, {} letters in {} tokens", words[1],
                        letters.letters, tokens);
  } else {
    return "";
  }
  return fmt::format(
      "{}: {}; a --model for the language of the texts, or a multilingual one, may serve better, and chrf "
      "needs no model",
      words[0], fault);
}

std::string of_repetition(const Words& words, const Counts& counts) {
  const std::uint64_t distinct = counts[0], all = counts[1];
  if (all < kFewestTexts || static_cast<double>(distinct) >= kDistinctShare * static_cast<double>(all))
    return "";
  return fmt::format("{} repeats itself: {} distinct of {} {}", words[0], distinct, all, words[1]);
}

std::string of_copies(const Words& words, const Counts& counts) {
  const std::uint64_t copied = counts[0], all = counts[1];
  if (all < kFewestTexts || static_cast<double>(copied) <= kCopiedShare * static_cast<double>(all)) return "";
  return fmt::format(
      "{}: {} of {} {} ({:.0f} %) stand in the reference word for word, and set metrics count that as "
      "likeness",
      words[0], copied, all, words[1], share(copied, all));
}

/// A sign test: where lines are pairs, nearly all are nearer to their own reference.
std::string of_no_pairs(const Words& words, const Counts& counts) {
  const auto own = static_cast<double>(counts[0]), next = static_cast<double>(counts[1]);
  if (own + next < static_cast<double>(kFewestTexts) || own - next > 3 * std::sqrt(own + next)) return "";
  return fmt::format(
      "{}: its lines are no nearer to their own reference line than to the next one; if these are two sets "
      "of "
      "texts and no pairs, take --preset lm",
      words[0]);
}

}  // namespace

std::string text_of(const Finding& finding) {
  const auto& [kind, words, counts] = finding;
  switch (kind) {
    case FindingKind::metric_note:
    case FindingKind::vectors_note:
    case FindingKind::other:
      return words[0];
    case FindingKind::empty_lines:
      if (counts[0] == 0) return "";
      return fmt::format("{}: {} of {} lines are empty", words[0], counts[0], counts[1]);
    case FindingKind::replaced_parts:
      if (counts[0] == 0) return "";
      return fmt::format("{}: {} invalid parts replaced by U+FFFD", words[0], counts[0]);
    case FindingKind::looks_tokenized:
      if (counts[0] < kTokenizedLines) return "";
      return fmt::format(
          "{}: {} of {} lines end in ' .': it looks tokenised, but these metrics expect plain "
          "text and tokenise themselves",
          words[0], counts[0], counts[1]);
    case FindingKind::equals_reference:
      if (counts[1] > 0) return "";
      return fmt::format("{} equals reference {} line by line: is it the right file?", words[0], words[1]);
    case FindingKind::equals_system:
      if (counts[1] > 0) return "";
      return fmt::format("{} equals {} line by line: is it the right file?", words[0], words[1]);
    case FindingKind::transposed:
      if (counts[0] <= 2 || counts[0] != counts[1]) return "";
      return fmt::format(
          "{} segments with {} references each: are the references transposed (one list per "
          "segment is expected)?",
          counts[0], counts[1]);
    case FindingKind::unread_letters:
      return of_unread_letters(words, counts);
    case FindingKind::repeats:
      return of_repetition(words, counts);
    case FindingKind::copies:
      return of_copies(words, counts);
    case FindingKind::not_pairs:
      return of_no_pairs(words, counts);
    case FindingKind::cut_texts:
      return of_cut_texts(words, counts);
    case FindingKind::unread_tokens:
      return of_unread_tokens(words, counts);
    case FindingKind::unread_words:
      if (counts[0] * 9 <= counts[1]) return "";
      return fmt::format(
          "{}: {} of {} words ({:.0f} %) are not in {} and {}; is it of the language of the texts?", words[0],
          counts[0], counts[0] + counts[1], share(counts[0], counts[0] + counts[1]), words[1], words[2]);
    case FindingKind::without_weight:
      if (counts[0] == 0) return "";
      return fmt::format("{}, {}: {} of {} segments have a text none of whose tokens has idf weight: {}",
                         words[0], words[1], counts[0], counts[1], words[2]);
    case FindingKind::smaller_k:
      if (counts[0] == 0) return "";
      return fmt::format("{}: {}: k = {} shrinks in {} of {} segments, which have too few rows", words[0],
                         words[1], words[2], counts[0], counts[1]);
    case FindingKind::too_small_segments:
      if (counts[0] == 0) return "";
      return fmt::format("{}: {}: {} of {} segments have fewer than two rows{}", words[0], words[1],
                         counts[0], counts[1], words[2]);
  }
  return "";
}

}  // namespace markeval
