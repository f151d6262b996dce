// NIST (Doddington 2002) as nltk's corpus_nist computes it: n-grams weighted by how much they tell, given the
// references.
#pragma once

#include <span>
#include <vector>

#include "lexical/bleu_tokenizer.hpp"
#include "lexical/segment_statistics.hpp"

namespace markeval::lexical {

struct NistOptions {
  std::size_t max_order = 5;
  BleuTokenization tokenization = BleuTokenization::none;  ///< nltk takes words as given: by white space
  bool lowercase = false;
};

/// Per segment: matched information per order, n-grams per order, reference length and system length, both
/// summed over the orders because every order chooses its reference anew. The information of an n-gram comes
/// from all references.
std::vector<SegmentStatistics> nist_statistics(const ScoredTexts& corpus, const NistOptions& options,
                                               const RunContext& context);

/// From summed statistics. An order no system text is long enough for adds nothing.
double nist_score(std::span<const double> statistics, const NistOptions& options);

}  // namespace markeval::lexical
