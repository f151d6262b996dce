// The metrics of `own`, and scores of its files with vectors. Used by own.cpp.
#pragma once

#include <string>
#include <vector>

#include "api/markeval.hpp"
#include "meta/score_table.hpp"
#include "metric/registry.hpp"
#include "study/own_data.hpp"
#include "study/study_run.hpp"

namespace markeval::study {

struct Asked {
  Metric metric;
  std::string result;  ///< the one asked for, or the main one
};

/// A request for these metrics, still without texts.
ScoreRequest request_of(const StudyRun& run, const std::vector<Asked>& metrics);

/// A row for each system, or for each judged segment. Throws Error(invalid_input) where a file has another
/// number of segments than judgements.
meta::ScoreTable score_vectors(StudyRun& run, const OwnData& data, const std::vector<Asked>& metrics);

}  // namespace markeval::study
