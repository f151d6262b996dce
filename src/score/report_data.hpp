// What a Report holds behind its public face.
#pragma once

#include <optional>
#include <vector>

#include "metric/pair_run.hpp"
#include "report/html_score.hpp"
#include "report/run_report.hpp"
#include "request/score_request.hpp"

namespace markeval::score {

struct ScoreData {
  report::RunReport report;
  // Where asked for:
  std::vector<report::ExplainedSets> set_explanations;
  std::vector<metric::PairExplanation> pair_explanations;
  std::optional<report::ScorePage> page;
};

}  // namespace markeval::score
