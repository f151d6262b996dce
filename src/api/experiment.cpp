#include "api/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>

#include "api/html_report.hpp"
#include "api/model_choice.hpp"
#include "api/study_run.hpp"
#include "base/error.hpp"
#include "base/suggestion.hpp"
#include "report/html_study.hpp"

namespace markeval {

struct StudyReport::Data {
  report::Study study;
  std::optional<report::PageFacts> facts;  ///< of the page, where asked for
};

namespace {

struct KnownStudy {
  const char* name;
  void (*run)(StudyRun& run);
};

constexpr std::array kStudies{
    KnownStudy{"k-sweep", run_k_sweep},
    KnownStudy{"mode-collapse", run_mode_collapse},
    KnownStudy{"word-swap", run_word_swap},
    KnownStudy{"wmt17", run_wmt17},
    KnownStudy{"tac", run_tac},
    KnownStudy{"data-to-text", run_data_to_text},
};

std::int64_t now_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

template <typename List>
void add_once(List& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

}  // namespace

StudyRun::StudyRun(const ExperimentRequest& request, const Settings& settings, Observer* observer,
                   const std::atomic<bool>* cancel)
    : request_(request), evaluator_(settings), observer_(observer), cancel_(cancel), started_ms_(now_ms()) {
  study_.name = request.study;
}

std::vector<std::string> StudyRun::models() const {
  std::vector<std::string> models{request_.model};
  models.insert(models.end(), request_.also.begin(), request_.also.end());
  return models;
}

ScoreRequest StudyRun::score_request() const {
  ScoreRequest scoring;
  scoring.seed = request_.seed;
  copy_encoder_settings(request_, scoring);
  return scoring;
}

Report StudyRun::score(const ScoreRequest& scoring) {
  // Warnings are kept and told once; how much came from the cache is no news in a study.
  class Quiet : public Observer {
   public:
    explicit Quiet(Observer* next) : next_(next) {}
    void progress(std::string_view stage, std::uint64_t done, std::uint64_t total) override {
      if (next_ != nullptr) next_->progress(stage, done, total);
    }

   private:
    Observer* next_;
  } quiet(observer_);
  Report report = evaluator_.score(scoring, &quiet, cancel_);
  for (const Result& result : report.results()) add_once(study_.signatures, result.signature);
  for (const std::string& warning : report.warnings()) {
    const std::size_t before = study_.warnings.size();
    add_once(study_.warnings, warning);
    if (study_.warnings.size() > before && observer_ != nullptr) observer_->warning(warning);
  }
  return report;
}

void StudyRun::step(std::string_view what, std::size_t step, std::size_t steps) {
  if (cancel_ != nullptr && cancel_->load(std::memory_order_relaxed))
    throw Error(ErrorCode::cancelled, "stopped on request");
  if (observer_ == nullptr) return;
  std::string left;
  if (step == 0) {
    started_ms_ = now_ms();
  } else {
    const std::int64_t seconds = (now_ms() - started_ms_) * static_cast<std::int64_t>(steps - step) /
                                 static_cast<std::int64_t>(step) / 1000;
    left = seconds < 90 ? fmt::format(", about {} s left", seconds)
                        : fmt::format(", about {} min left", (seconds + 30) / 60);
  }
  observer_->info(fmt::format("{} ({} of {}{})", what, step + 1, steps, left));
}

void StudyRun::add_files(const std::vector<std::string>& files) {
  for (const std::string& file : files) add_once(files_, file);
}

report::PageFacts StudyRun::facts() const {
  report::PageFacts facts;
  facts.title = study_.name;
  facts.summary = study_.about;
  facts.warnings = study_.warnings;
  for (const std::string& file : files_) facts.inputs.push_back(page_input("data", file));
  return facts;
}

std::vector<std::string> study_names() {
  std::vector<std::string> names;
  for (const KnownStudy& study : kStudies) names.emplace_back(study.name);
  return names;
}

StudyReport run_experiment(const ExperimentRequest& request, const Settings& settings, Observer* observer,
                           const std::atomic<bool>* cancel) {
  const auto known = std::find_if(kStudies.begin(), kStudies.end(),
                                  [&](const KnownStudy& study) { return study.name == request.study; });
  if (known == kStudies.end()) {
    throw_usage(fmt::format("unknown study '{}'{}", request.study, suggestion(request.study, study_names())));
  }
  if (request.data.empty()) throw_usage("no data given, expected the folder that holds mnli/, wmt17/, ...");
  if (!std::filesystem::is_directory(request.data))
    throw_usage(fmt::format("{}: no such folder", request.data));
  StudyRun run(request, settings, observer, cancel);
  known->run(run);
  auto data = std::make_shared<StudyReport::Data>();
  if (request.page) data->facts = run.facts();
  data->study = std::move(run.study());
  return StudyReport(std::move(data));
}

StudyReport::StudyReport(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

std::string StudyReport::text() const {
  return report::to_text(data_->study);
}
std::string StudyReport::json() const {
  return report::to_json(data_->study);
}
std::string StudyReport::tsv() const {
  return report::to_tsv(data_->study);
}
std::string StudyReport::html(const std::vector<std::string>& command) const {
  if (!data_->facts) throw_usage("no page was asked for");
  report::StudyPage page{*data_->facts, data_->study};
  page.facts.command = command;
  return report::study_page(page);
}
const std::vector<std::string>& StudyReport::warnings() const {
  return data_->study.warnings;
}
std::vector<std::pair<std::string, std::string>> StudyReport::files() const {
  std::vector<std::pair<std::string, std::string>> files;
  for (const report::StudyTable& table : data_->study.tables) {
    const std::string name = fmt::format("{}-{}", data_->study.name, table.name);
    files.emplace_back(name + ".tsv", report::to_tsv(table));
    if (table.curve) files.emplace_back(name + ".svg", report::to_svg(table));
  }
  return files;
}

}  // namespace markeval
