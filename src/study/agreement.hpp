// Scores of segments held against human judgements: what the studies with judgements share. Used by
// judged.cpp and best_k.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "meta/coefficient.hpp"
#include "metric/registry.hpp"
#include "report/study.hpp"
#include "study/data_files.hpp"
#include "study/study_run.hpp"

namespace markeval::study {

/// Whether vectors of the encoder stand behind the metric: a score for each model.
bool needs_encoder(const Metric& metric);
/// Whose vectors stand behind it: `model` without its folder, a file of word vectors, weights, or "-".
std::string model_of(const Metric& metric, const std::string& model);
/// "models/bge-small-en-v1.5/" -> "bge-small-en-v1.5"
std::string model_name(const std::string& model);
/// Those of the metrics an encoder stands behind.
std::vector<Metric> of_an_encoder(const std::vector<Metric>& metrics);
/// "rougeWE:embeddings=data/glove/small.txt" -> "rougeWE:embeddings=glove/small.txt"
std::string without_folder(std::string metric, const std::string& folder);
/// -1 where lower is better, so that agreement is always positive.
double sign_of(const metric::MetricInfo& info);

/// The scores of one result for every segment, or for every system; larger is better.
struct ScoredColumn {
  std::string name;  ///< "chrf.chrf"
  std::string model;
  std::vector<double> values;
};

/// Name and model of each.
std::vector<std::vector<std::string>> labels_of(const std::vector<ScoredColumn>& columns);

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

/// Each choice of rows as a part of its own; parts without choices stay as they are.
JudgedStudy by_choice(const JudgedStudy& study);
/// The scores of those rows, in the same order.
Scored by_choice(const JudgedStudy& study, const Scored& scored);

/// The parts asked for, or all that are known. Throws Error(usage) for another one.
std::vector<std::string> chosen_parts(const StudyRun& run, const std::vector<std::string>& known);
/// What the user asked for, or else `usual`. Throws Error(usage) for metrics without a score for each segment
/// where segments were judged.
std::vector<Metric> chosen_metrics(const StudyRun& run, const std::vector<Metric>& usual);

/// Every part with these metrics: with the first of the models, then those of an encoder with each of the
/// others. `what` is said before the name of the part.
Scored score_parts(StudyRun& run, const JudgedStudy& study, const std::vector<Metric>& metrics,
                   std::span<const std::string> models, std::string_view what);

/// One score for each system, of all results of the metrics.
std::vector<ScoredColumn> score_systems(StudyRun& run, const JudgedSystems& data,
                                        const std::vector<Metric>& metrics, const std::string& model);

/// What is correlated in one part: "pyramid pearson".
std::vector<std::string> coefficient_columns(const JudgedStudy& study, const JudgedTexts& part);
/// The coefficients of one column of scores, in that order: each the mean over the groups of the part.
std::vector<std::optional<double>> agreements(const JudgedStudy& study, const JudgedTexts& part,
                                              std::span<const double> values);

/// Absent where one of them is.
std::optional<double> mean_of(std::span<const std::optional<double>> values);
report::Cell cell(const std::optional<double>& value);

/// What the papers call K: the neighbours ("k"), or the clusters of PRD. Empty for metrics without it, and
/// where the user gave it.
std::string searched_option(const Metric& metric);
/// me:samples=word, "k", 3 -> me:samples=word,k=3; without a name, which would stand for all of them.
Metric with_option(const Metric& metric, const std::string& option, std::size_t value);
/// K where the agreement first drops after it, from 0: the place in `line`, which has an entry for each K.
std::size_t first_drop(const std::vector<std::optional<double>>& line);

/// The K where agreement is best, for every metric that has one (of PRD: the clusters): curves and a table of
/// choices.
void add_best_k(StudyRun& run, const JudgedStudy& study, const std::vector<Metric>& metrics);
/// The same over systems: the curve of the mean over the pairs, and the choice for it and for each pair.
void add_best_k(StudyRun& run, const std::vector<JudgedSystems>& pairs,
                const std::vector<Metric>& metrics);

}  // namespace markeval::study
