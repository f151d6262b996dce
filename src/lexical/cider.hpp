// CIDEr and CIDEr-D (Vedantam et al. 2015): cosine of tf-idf weighted n-grams, idf from the references of all
// segments; as PyPI pycocoevalcap 1.2 computes CIDEr-D.
#pragma once

#include <vector>

#include "lexical/bleu_tokenizer.hpp"
#include "lexical/segment_statistics.hpp"

namespace markeval::lexical {

struct CiderOptions {
  bool robust = true;  ///< CIDEr-D: weights clipped to the reference's, lengths that differ penalised
  double sigma = 6;    ///< of that penalty, in words
  std::size_t max_order = 4;
  BleuTokenization tokenization = BleuTokenization::none;  ///< pycocoevalcap splits at white space
  bool lowercase = false;
  bool best = false;  ///< the best of several references, instead of their mean
};

/// Per segment one column: the score (0 .. 10, the mean over orders, and over references unless `best`). The
/// corpus value is the mean.
std::vector<SegmentStatistics> cider_statistics(const ScoredTexts& corpus, const CiderOptions& options,
                                                const RunContext& context);

}  // namespace markeval::lexical
