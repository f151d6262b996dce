// What a Report holds behind its public face.
#pragma once

#include <string>
#include <vector>

#include "api/markeval.hpp"
#include "metric/score_sets.hpp"
#include "report/run_report.hpp"

namespace markeval {

struct Report::Data {
  std::vector<Result> results;
  report::RunReport report;
  std::vector<metric::SetExplanation> explanations;
  std::vector<report::RowOrigin> reference_files;
  std::vector<std::string> explained_files;  ///< the system's file, one per explanation
};

}  // namespace markeval
