// Set metrics on rows of vectors, read from files or in memory.
#pragma once

#include <memory>

#include "score/text_scoring.hpp"

namespace markeval::score {

/// Results by system, then by metric, in the order asked for.
std::shared_ptr<ScoreData> score_vectors(const ScoreContext& run);

}  // namespace markeval::score
