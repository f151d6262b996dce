// ROUGE (Lin 2004): n-gram, longest common subsequence and its summary-level form as rouge-score 0.1.2
// computes them; weighted subsequence (W) and skip-bigram (SU) as ROUGE-1.5.5 does.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lexical/segment_statistics.hpp"

namespace markeval::lexical {

enum class RougeKind {
  ngram,        ///< ROUGE-N
  subsequence,  ///< ROUGE-L of the whole text
  summary,      ///< ROUGE-Lsum: union of subsequences, one sentence per line of the text
  weighted,     ///< ROUGE-W: consecutive matches weigh more; one sentence per line
  skip_bigram,  ///< ROUGE-SU: pairs of words at most `skip` words apart, and single words
};

/// What becomes of several references of a segment.
enum class RougeReferences {
  usual,  ///< as the program that is followed: rouge-score takes the best, ROUGE-1.5.5 pools the counts
  best,   ///< that with the best F1, the first of equals
  mean,   ///< means of precision, recall and F1 over the references
};

struct RougeOptions {
  RougeKind kind = RougeKind::ngram;
  std::size_t order = 1;  ///< of the n-grams
  bool stem = false;
  double weight = 1.2;  ///< exponent of ROUGE-W
  /// ROUGE-1.5.5 applies the exponent to the reference length twice, so a copy of the reference has a recall
  /// below 1. That is the default, since published figures were made with it; true applies it once, as the
  /// paper says.
  bool weight_once = false;
  std::size_t skip = 4;  ///< most words between the two of a skip-bigram
  RougeReferences references = RougeReferences::usual;
};

constexpr std::size_t kRougeColumns = 3;

/// Per segment: precision, recall, F1. Several references, unless the options say otherwise: that with the
/// best F1, the first of equals, as rouge-score does; ROUGE-W and ROUGE-SU pool the counts of all references,
/// as ROUGE-1.5.5 does. The corpus value is the mean over segments.
std::vector<SegmentStatistics> rouge_statistics(const ScoredTexts& corpus, const RougeOptions& options,
                                                const RunContext& context);

}  // namespace markeval::lexical
