// Scores of segments held against human judgements: what the studies with judgements share. Used by
// judged.cpp and best_k.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "meta/coefficient.hpp"
#include "meta/score_table.hpp"
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

/// The mean over groups of one column's agreement on some rows of each.
std::optional<double> agreement_on(const meta::ScoreTable& table, const meta::PredictedColumn& column,
                                   const std::vector<std::vector<std::uint32_t>>& rows,
                                   meta::Coefficient coefficient);

/// The scores of one result for every segment, or for every system; larger is better.
struct ScoredColumn {
  std::string name;  ///< "chrf.chrf"
  std::string model;
  std::vector<double> values;
};

/// What each is called: parts of a study, columns.
template <class Part>
std::vector<std::string> names_of(const std::vector<Part>& all) {
  std::vector<std::string> names;
  for (const Part& one : all) names.push_back(one.name);
  return names;
}

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

/// One search of `--best-k`: a metric, and the requests for K = 1, 2, ...
struct KSearch {
  Metric metric;
  std::vector<Metric> requests;

  std::size_t results() const { return metric.info->results.size(); }
};

/// A search for every metric that has a K; none without `--best-k`.
std::vector<KSearch> k_searches(const StudyRun& run, const std::vector<Metric>& metrics);

/// The scores of the metrics, and those of the requests of the searches, one after the other. All come of one
/// run, so that texts are encoded and compared once.
struct ScoredParts {
  Scored metrics;
  Scored searched;
};

/// Every part with these metrics and searches: with the first of the models, then those metrics of an encoder
/// with each of the others.
ScoredParts score_parts(StudyRun& run, const JudgedStudy& study, const std::vector<Metric>& metrics,
                        std::span<const KSearch> searches);

/// One score for each system of every pair, of all results of the metrics and the searches.
ScoredParts score_pairs(StudyRun& run, const std::vector<JudgedSystems>& pairs,
                        const std::vector<Metric>& metrics, std::span<const KSearch> searches);

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
/// choices. `scored`: of the searches alone.
void add_best_k(StudyRun& run, const JudgedStudy& study, std::span<const KSearch> searches,
                const Scored& scored);
/// The same over systems: the curve of the mean over the pairs, and the choice for it and for each pair.
void add_best_k(StudyRun& run, const std::vector<JudgedSystems>& pairs, std::span<const KSearch> searches,
                const Scored& scored);

}  // namespace markeval::study
