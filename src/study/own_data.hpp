// A user's own texts with human scores: a table, or a folder laid out as that of mt-metrics-eval
// (docs/how-to/own-study.md). Used by own.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "study/experiment.hpp"

namespace markeval::study {

/// One group of a folder whose references and outputs are .npy files: row vectors, or vectors of tokens.
struct OwnVectors {
  std::string group;
  std::vector<std::string> references;                       ///< files
  std::vector<std::pair<std::string, std::string>> systems;  ///< names and files
  std::vector<std::vector<std::optional<double>>> human;     ///< by system: of its segments, or one number
};

struct OwnData {
  std::vector<std::string> hypotheses;       ///< one per row
  std::vector<std::string> references;       ///< all of row 0, then of row 1, ...
  std::vector<std::size_t> starts{0};        ///< of each row among the references
  std::vector<std::string> groups;           ///< of each row; empty: one group
  std::vector<std::string> systems;          ///< of each row; empty: not known
  std::vector<std::optional<double>> human;  ///< of each row; empty where only systems were judged
  std::map<std::pair<std::string, std::string>, double> system_human;  ///< by group and system; or empty
  std::vector<OwnVectors> vectors;                                     ///< instead of all texts
  std::vector<std::string> files;                                      ///< that were read
  std::vector<std::string> notes;                                      ///< what was left out

  std::size_t rows() const { return hypotheses.size(); }
  std::string group_of(std::size_t row) const { return groups.empty() ? "all" : groups[row]; }
};

/// Absent where none of the segments has a score.
std::optional<double> mean_of_judged(const std::vector<std::optional<double>>& human);

/// `request.data` is the table or the folder. Errors say what was looked for and where.
OwnData read_own(const ExperimentRequest& request);

}  // namespace markeval::study
