// METEOR (Banerjee and Lavie 2005) as nltk's meteor_score computes it: words aligned by form, then by stem,
// then by WordNet synset, each from the end of the text; harmonic mean with a penalty for fragments.
#pragma once

#include <memory>
#include <vector>

#include "lexical/bleu_tokenizer.hpp"
#include "lexical/segment_statistics.hpp"
#include "lexical/wordnet.hpp"

namespace markeval::lexical {

struct MeteorOptions {
  double alpha = 0.9, beta = 3.0, gamma = 0.5;
  BleuTokenization tokenization = BleuTokenization::none;  ///< nltk takes words as given: by white space
  std::shared_ptr<const WordNet> wordnet;                  ///< nothing: synonyms are not looked for
};

/// Per segment one column: the score, the best over the references. The corpus value is the mean.
std::vector<SegmentStatistics> meteor_statistics(const ScoredTexts& corpus, const MeteorOptions& options,
                                                 const RunContext& context);

}  // namespace markeval::lexical
