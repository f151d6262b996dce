// Cosine of tf-idf weighted counts of words, or of n-grams: how much a text speaks of the same things as its
// reference. Weights as in scikit-learn's TfidfVectorizer fitted on the references: tf * (ln((1 + n) / (1 +
// df)) + 1), vectors of length one.
#pragma once

#include <vector>

#include "lexical/bleu_tokenizer.hpp"
#include "lexical/segment_statistics.hpp"

namespace markeval::lexical {

struct TfidfOptions {
  BleuTokenization tokenization = BleuTokenization::mteval_13a;
  bool lowercase = true;
  std::size_t order = 1;  ///< words per n-gram: 2 is TF*IDF-2
  bool mean = false;      ///< several references: the mean of their cosines instead of the highest
};

/// Per segment one column: the cosine (0 .. 1), the highest or the mean over the references; 0 where a side
/// has no known n-gram. N-grams no reference has do not count. The corpus value is the mean.
std::vector<SegmentStatistics> tfidf_statistics(const ScoredTexts& corpus, const TfidfOptions& options,
                                                const RunContext& context);

}  // namespace markeval::lexical
