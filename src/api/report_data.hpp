// What a Report holds behind its public face.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/markeval.hpp"
#include "metric/score_pairs.hpp"
#include "metric/score_sets.hpp"
#include "report/html_score.hpp"
#include "report/run_report.hpp"

namespace markeval {

struct Report::Data {
  std::vector<Result> results;
  report::RunReport report;
  std::vector<metric::SetExplanation> explanations;
  std::optional<std::vector<metric::PairExplanation>> pair_explanations;  ///< where asked for
  std::vector<report::RowOrigin> reference_files;
  std::optional<report::ScorePage> page;     ///< where asked for
  std::vector<std::string> explained_files;  ///< the system's file, one per explanation
};

}  // namespace markeval
