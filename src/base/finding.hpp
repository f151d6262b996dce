// Something a user may have to be told, known by counting: empty lines, cut texts, tokens the model does not
// know. A finding is made whatever the counts are. Counts of parts of a corpus add up, so that parts scored
// on several machines give the warnings of one run; only then it is known whether there is one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace markeval {

/// In the order in which a report tells them.
enum class FindingKind : std::uint8_t {
  metric_note,       ///< words: the warning itself
  empty_lines,       ///< words: input; counts: empty, texts
  replaced_parts,    ///< words: input; counts: invalid parts
  looks_tokenized,   ///< words: system; counts: lines that end in " .", lines
  equals_reference,  ///< words: system, number of the reference, of how many; counts: lines, lines that
                     ///< differ
  equals_system,     ///< words: two systems; counts: lines, lines that differ
  transposed,        ///< counts: segments, references of each (0: their number varies)
  unread_letters,    ///< words: metric, side, kind, remedy for Chinese, remedy for others; counts: letters
  repeats,           ///< words: side, what is counted; counts: distinct, all
  copies,            ///< words: system, what is counted; counts: those that stand in the reference, all
  not_pairs,      ///< words: system; counts: lines nearer to their own reference than to the next one, lines
                  ///< nearer to the next one, of them
  vectors_note,   ///< words: the warning itself, of layers and weights
  cut_texts,      ///< words: input, limit; counts of tokens, then of sentences: cut texts, texts, cut tokens,
                  ///< tokens
  unread_tokens,  ///< words: side, model; counts of tokens, then of sentences: texts, unknown, tokens;
                  ///< letters
  unread_words,   ///< words: side, file of word vectors, what becomes of them; counts: unknown, known
  without_weight,  ///< words: metric, system, what becomes of them; counts: segments without weight, segments
  smaller_k,       ///< words: system, metric, k; counts: segments, all
  too_small_segments,  ///< words: system, metric, what becomes of them; counts: segments, all
  other,               ///< words: the warning itself
};

struct Finding {
  FindingKind kind = FindingKind::other;
  std::vector<std::string> words{};
  std::vector<std::uint64_t> counts{};

  bool same_subject(const Finding& other) const { return kind == other.kind && words == other.words; }
};

/// The warning; empty where there is nothing to warn of.
std::string text_of(const Finding& finding);

/// Which letters `unread_letters` is about: words[2].
inline constexpr const char *kReadsAscii = "ascii", *kReadsSpaced = "spaced", *kReadsHan = "spaced_or_han";

}  // namespace markeval
