// The table a correlation starts from: scores read from its columns, or made by scoring its texts. Used by
// correlate.cpp.
#pragma once

#include "api/correlate.hpp"
#include "meta/score_table.hpp"

namespace markeval {

/// Throws Error(usage) where the request names no scores, or both kinds, and for columns the table lacks.
meta::ScoreTable read_score_table(const CorrelateRequest& request);

}  // namespace markeval
