// The parts of a corpus, put together: what score::measure_texts() would have found in all of its texts.
#pragma once

#include <vector>

#include "score/text_scoring.hpp"

namespace markeval::parallel {

/// How the numbers of a request are found: from ScoreRequest::gathered where there is something, else in its
/// texts. Throws Error(invalid_input) where parts do not fit together.
score::Measure measure_for(const std::vector<std::vector<std::string_view>>& gathered);

}  // namespace markeval::parallel
