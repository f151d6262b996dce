// The studies of the papers, remade with the model at hand: `markeval experiment`. Installed as
// <markeval/experiment.hpp>; link markeval::study. The data are the user's, in the layout of
// docs/reference/data.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/encoder_options.hpp"
#include "base/text_options.hpp"
#include "metric/metric.hpp"

namespace markeval {

struct Settings;  // in <markeval/markeval.hpp>
class Observer;

struct ExperimentRequest {
  std::string study;  ///< one of study_names()
  std::string data;   ///< the folder that holds mnli/, wmt17/, wmt19_darr/, ...; of own: a table or a folder
  std::vector<Metric> metrics{};  ///< empty: those of the study
  std::vector<std::string>
      parts{};                    ///< wmt17, wmt19: cs-en ...; tac: 2009 ...; data-to-text: BAGEL; empty: all
  std::size_t size = 0;           ///< sentences of a set; 0: as in the paper, or as many as there are
  std::size_t repeats = 5;        ///< mode-collapse: orders of genres; word-swap, language-generation: draws
  std::size_t max_k = 40;         ///< k-sweep: the largest; best-k: the last one tried
  bool best_k = false;            ///< wmt17, tac, data-to-text, own: search K for metrics that have one
  std::string level = "segment";  ///< wmt17, own: or "system"
  std::string texts = "raw";      ///< wmt17: or "tokenised", the papers' copy: lower case, Moses' words
  // For `own`: columns of a table. For a folder, `gold` and `reference` name one of its kinds of files.
  std::string gold{}, reference{}, hypothesis{}, system{}, group{};
  std::string coefficient = "pearson";  ///< own: what agreement is
  std::string test{};                   ///< own: perm-both where empty, for spearman williams
  std::vector<std::string>
      also{};  ///< wmt17, wmt19, tac, data-to-text: models with rows of their own beside `model`
  std::uint64_t seed = 12345;
  // As in ScoreRequest:
  EncoderOptions encoder{};
  bool page = false;  ///< also keep what StudyReport::html() shows
};

class StudyReport {
 public:
  std::string text(const TextOptions& options = {}) const;
  std::string json() const;
  std::string tsv() const;
  /// Name and contents of a .tsv file per table, and of a .svg file per curve.
  std::vector<std::pair<std::string, std::string>> files() const;
  const std::vector<std::string>& warnings() const;
  /// One self-contained page with charts, for ExperimentRequest::page. `command`: the words that remake it.
  /// Throws Error(usage) where no page was asked for.
  std::string html(const std::vector<std::string>& command = {}) const;

  struct State;
  explicit StudyReport(std::shared_ptr<const State> data);

 private:
  std::shared_ptr<const State> state_;
};

/// "k-sweep", "mode-collapse", "word-swap", "wmt17", "wmt19", "tac", "data-to-text", "language-generation",
/// "own"
std::vector<std::string> study_names();

/// Vectors of sentences and words come from the cache where they are there: a study that was stopped goes on
/// where it was. Throws Error(usage) for unknown words, Error(io) and Error(invalid_input) for data that are
/// missing or of another layout, naming the file.
StudyReport run_experiment(const ExperimentRequest& request, const Settings& settings,
                           Observer* observer = nullptr, const std::atomic<bool>* cancel = nullptr);

}  // namespace markeval
