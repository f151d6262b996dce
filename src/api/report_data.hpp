// What a Report holds behind its public face.
#pragma once

#include <optional>
#include <vector>

#include "api/markeval.hpp"
#include "metric/pair_run.hpp"
#include "report/html_score.hpp"
#include "report/run_report.hpp"

namespace markeval {

struct Report::Data {
  report::RunReport report;
  // Where asked for:
  std::vector<report::ExplainedSets> set_explanations;
  std::vector<metric::PairExplanation> pair_explanations;
  std::optional<report::ScorePage> page;
};

}  // namespace markeval
