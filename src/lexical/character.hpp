// CharacTER (Wang et al. 2016): phrases shifted on word level, edits counted on character level; as PyPI
// cer 1.2.0.
#pragma once

#include <vector>

#include "lexical/bleu_tokenizer.hpp"
#include "lexical/segment_statistics.hpp"

namespace markeval::lexical {

struct CharacterOptions {
  BleuTokenization tokenization = BleuTokenization::none;  ///< cer takes words as given: by white space
  bool lowercase = false;
};

/// Per segment one column: the error rate (0 .. 1), the lowest over the references. The corpus value is the
/// mean. An empty reference gives 0 for an empty system text, else 1.
std::vector<SegmentStatistics> character_statistics(const ScoredTexts& corpus,
                                                    const CharacterOptions& options,
                                                    const RunContext& context);

}  // namespace markeval::lexical
