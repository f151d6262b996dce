// The texts a request names, read, checked against each other and held until scored.
#pragma once

#include <string>
#include <vector>

#include "api/markeval.hpp"
#include "base/run_context.hpp"
#include "lexical/segment_statistics.hpp"
#include "text/corpus.hpp"

namespace markeval {

struct TextInputs {
  std::vector<text::Corpus> references, systems;
  std::vector<std::string> system_names;
  lexical::Corpus corpus;  ///< views into the two above
};

/// Several references: their texts of a segment come together. Throws Error(invalid_input) naming files and
/// counts where numbers of segments differ. Warns of empty lines, replaced bytes and plausible mistakes.
TextInputs load_texts(const ScoreRequest& request, const RunContext& context);

}  // namespace markeval
