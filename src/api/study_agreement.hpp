// Scores of segments held against human judgements: what the studies with judgements share. Used by
// study_judged.cpp and study_best_k.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/study_data.hpp"
#include "api/study_run.hpp"
#include "meta/coefficient.hpp"
#include "metric/registry.hpp"
#include "report/study.hpp"

namespace markeval {

/// Whether vectors of a model stand behind the metric.
bool needs_model(const metric::MetricRequest& metric);
/// -1 where lower is better, so that agreement is always positive.
double sign_of(const metric::MetricInfo& info);

/// The scores of one result for every segment; larger is better.
struct ScoredColumn {
  std::string name;  ///< "chrf.chrf"
  std::string model;
  std::vector<double> values;
};

/// One of the studies: its parts, and what is correlated in each.
struct JudgedStudy {
  std::vector<JudgedTexts> parts;
  std::vector<meta::Coefficient> coefficients;
  bool mean_over_parts = false;  ///< one table with a column per part and their mean; else a table per part
  std::string table;             ///< "wmt17-segment", "tac": names of tables and published figures start so
  std::string title;
};

/// By part, then by result.
using Scored = std::vector<std::vector<ScoredColumn>>;

/// Every part with these metrics. `what` is said before the name of the part.
Scored score_parts(StudyRun& run, const JudgedStudy& study, const std::vector<std::string>& metrics,
                   std::string_view what);

/// What is correlated in one part: "pyramid pearson".
std::vector<std::string> coefficient_columns(const JudgedStudy& study, const JudgedTexts& part);
/// The coefficients of one column of scores, in that order: each the mean over the groups of the part.
std::vector<std::optional<double>> agreements(const JudgedStudy& study, const JudgedTexts& part,
                                              std::span<const double> values);

/// Absent where one of them is.
std::optional<double> mean_of(std::span<const std::optional<double>> values);
report::Cell cell(const std::optional<double>& value);

/// The K where agreement is best, for every metric that has one: curves and a table of choices.
void add_best_k(StudyRun& run, const JudgedStudy& study, const std::vector<std::string>& metrics);

}  // namespace markeval
