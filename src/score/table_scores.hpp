// The table a correlation starts from: scores read from its columns, or made by scoring its texts. Used by
// correlate.cpp.
#pragma once

#include <string>
#include <vector>

#include "meta/score_table.hpp"
#include "request/correlate_request.hpp"
#include "score/engine.hpp"
#include "text/corpus.hpp"

namespace markeval::score {

struct TableScores {
  meta::ScoreTable table;                    ///< without human scores
  std::vector<meta::Values> gold;            ///< for each column asked for
  std::vector<std::string> lower_is_better;  ///< columns
  std::vector<std::string> learned;          ///< columns of metrics that learned from these texts
  std::vector<std::string> signatures;       ///< of the metrics the texts were scored with, in order
  std::vector<std::string> warnings;         ///< of that scoring; the observer has them already
  text::ReadCounts counts;                   ///< of the table
};

/// Throws Error(usage) where the request names no scores, or both kinds, and for columns the table lacks.
TableScores read_score_table(const CorrelateRequest& request, const Caller& caller, const Measure& measure);

/// For a test between metrics: larger scores are better in every column.
meta::ScoreTable turned(meta::ScoreTable table, const std::vector<std::string>& lower_is_better);

}  // namespace markeval::score
