// The list of studies, the run of one, and the written forms of its report.
#include "study/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/cancellation.hpp"
#include "base/error.hpp"
#include "base/paths.hpp"
#include "report/html_study.hpp"
#include "report/table_data.hpp"
#include "request/lookup.hpp"
#include "study/study_run.hpp"

namespace markeval {

struct StudyReport::State {
  report::Study study;
  std::optional<report::PageFacts> facts;  ///< of the page, where asked for
};

namespace {

struct KnownStudy {
  const char* name;
  void (*run)(study::StudyRun& run);
};

constexpr std::array kStudies{
    KnownStudy{"k-sweep", study::run_k_sweep},
    KnownStudy{"mode-collapse", study::run_mode_collapse},
    KnownStudy{"word-swap", study::run_word_swap},
    KnownStudy{"wmt17", study::run_wmt17},
    KnownStudy{"wmt19", study::run_wmt19},
    KnownStudy{"tac", study::run_tac},
    KnownStudy{"data-to-text", study::run_data_to_text},
    KnownStudy{"language-generation", study::run_language_generation},
    KnownStudy{"own", study::run_own},
};

}  // namespace

std::vector<std::string> study_names() {
  std::vector<std::string> names;
  for (const KnownStudy& study : kStudies) names.emplace_back(study.name);
  return names;
}

StudyReport run_experiment(const ExperimentRequest& request, const Settings& settings, Observer* observer,
                           const std::atomic<bool>* cancel) {
  request::require_known("study", request.study, study_names());
  const auto known =
      std::ranges::find_if(kStudies, [&](const KnownStudy& study) { return study.name == request.study; });
  if (request.data.empty()) throw_usage("no data given, expected the folder that holds mnli/, wmt17/, ...");
  if (request.study == "own" ? !path_exists(request.data) : !is_folder(request.data)) {
    throw_usage(
        fmt::format("{}: no such {}", request.data, request.study == "own" ? "table or folder" : "folder"));
  }
  const CancelScope stoppable(cancel);
  study::StudyRun run(request, settings, observer, cancel);
  known->run(run);
  auto data = std::make_shared<StudyReport::State>();
  if (request.page) data->facts = run.facts();
  data->study = std::move(run.study());
  return StudyReport(std::move(data));
}

StudyReport::StudyReport(std::shared_ptr<const State> data) : state_(std::move(data)) {}

std::string StudyReport::text(const TextOptions& options) const {
  return report::to_text(state_->study, options);
}
std::string StudyReport::json() const {
  return report::to_json(state_->study);
}
std::string StudyReport::tsv() const {
  return report::to_tsv(state_->study);
}
std::string StudyReport::html(const std::vector<std::string>& command) const {
  if (!state_->facts) throw_usage("no page was asked for");
  report::StudyPage page{*state_->facts, state_->study};
  page.facts.command = command;
  return report::study_page(page);
}
const std::vector<std::string>& StudyReport::warnings() const {
  return state_->study.warnings;
}
std::vector<std::pair<std::string, std::string>> StudyReport::files() const {
  std::vector<std::pair<std::string, std::string>> files;
  for (const report::Table& table : state_->study.tables) {
    const std::string name = fmt::format("{}-{}", state_->study.name, table.name);
    files.emplace_back(name + ".tsv", report::to_tsv(table));
    if (table.drawing == report::Drawing::curve) files.emplace_back(name + ".svg", report::to_svg(table));
  }
  return files;
}

}  // namespace markeval
