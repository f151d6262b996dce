// ROUGE-WE (Ng and Abrecht 2015): ROUGE-N where n-grams with similar word vectors match too, in the
// thresholded form the summarisation literature uses (Peyrard's S3, SummEval).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "lexical/segment_statistics.hpp"

namespace markeval::lexical {

/// The vector of a word, empty where there is none. Called from several threads at once.
using WordVectorLookup = FunctionRef<std::span<const float>(std::string_view word)>;

struct RougeEmbeddingOptions {
  std::size_t order = 1;
  double threshold = 0.8;  ///< cosine from which two n-grams count as one
  bool mean = false;       ///< several references: means over them instead of that with the best F1
};

/// Per segment: precision, recall, F1 against the reference with the best F1, or their means. Each n-gram of
/// the system, in order of appearance, takes the reference n-gram most like it (an equal one has similarity
/// 1, an n-gram with an unknown word only equals itself) as often as both have it left. The vector of an
/// n-gram is the sum of its words'.
std::vector<SegmentStatistics> rouge_embedding_statistics(const ScoredTexts& corpus,
                                                          const RougeEmbeddingOptions& options,
                                                          WordVectorLookup vectors,
                                                          const RunContext& context);

}  // namespace markeval::lexical
