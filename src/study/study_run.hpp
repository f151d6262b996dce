// What all studies share: an evaluator, the request, and what was found so far. Used by experiment.cpp and
// one file per family of studies.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/markeval.hpp"
#include "base/random.hpp"
#include "report/html_page.hpp"
#include "report/study.hpp"
#include "study/experiment.hpp"

namespace markeval::study {

class StudyRun {
 public:
  StudyRun(const ExperimentRequest& request, const Settings& settings, Observer* observer,
           const std::atomic<bool>* cancel);

  const ExperimentRequest& request() const { return request_; }
  std::size_t threads() const { return threads_; }
  report::Study& study() { return study_; }

  /// The model of the request, then those to stand beside it.
  std::vector<std::string> models() const;
  /// Files that were read, for the page.
  void add_files(const std::vector<std::string>& files);
  report::PageFacts facts() const;
  /// A request with the model's settings filled in.
  ScoreRequest score_request() const;
  /// Scores and keeps signatures and warnings, each once.
  Report score(const ScoreRequest& scoring);
  /// Tells how far the study is: `step` of `steps`, from 0, and how long the rest will take at this pace.
  void step(std::string_view what, std::size_t step, std::size_t steps);
  /// Keeps and tells a warning, once.
  void warn(const std::string& warning);

 private:
  const ExperimentRequest& request_;
  Evaluator evaluator_;
  std::size_t threads_ = 0;
  Observer* observer_;
  const std::atomic<bool>* cancel_;
  report::Study study_;
  std::vector<std::string> files_;
  std::int64_t started_ms_ = 0;  ///< the first step
};

/// The metrics asked for, or else all of sets.
std::vector<Metric> set_metrics(const StudyRun& run);
/// `count` of the texts, or all there are, in random order.
std::vector<std::string> drawn_texts(const std::vector<std::string>& texts, std::size_t count,
                                     RandomStream random);

double mean_of_draws(const std::vector<double>& draws);
/// Standard deviation; nothing of a single draw.
report::Cell spread_of(const std::vector<double>& draws);

void run_k_sweep(StudyRun& run);
void run_mode_collapse(StudyRun& run);
void run_word_swap(StudyRun& run);
void run_wmt17(StudyRun& run);
void run_wmt19(StudyRun& run);
void run_tac(StudyRun& run);
void run_data_to_text(StudyRun& run);
void run_language_generation(StudyRun& run);
void run_own(StudyRun& run);

}  // namespace markeval::study
