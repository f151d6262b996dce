// Scoring with warnings reported once, progress with the time left, and the facts of the page.
#include "study/study_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "base/cancellation.hpp"
#include "base/lookup.hpp"
#include "meta/values.hpp"
#include "request/lookup.hpp"
#include "score/html_report.hpp"

namespace markeval::study {
namespace {

std::int64_t now_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace

StudyRun::StudyRun(const ExperimentRequest& request, const Settings& settings, Observer* observer,
                   const std::atomic<bool>* cancel)
    : request_(request),
      evaluator_(settings),
      threads_(settings.threads),
      observer_(observer),
      cancel_(cancel),
      started_ms_(now_ms()) {
  study_.name = request.study;
}

std::vector<std::string> StudyRun::models() const {
  std::vector<std::string> models{request_.encoder.model};
  models.insert(models.end(), request_.also.begin(), request_.also.end());
  return models;
}

ScoreRequest StudyRun::score_request() const {
  ScoreRequest scoring;
  scoring.seed = request_.seed;
  scoring.encoder = request_.encoder;
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
  request::require_all_computed(report.errors());
  for (const Result& result : report.results()) add_once(study_.signatures, result.signature());
  for (const std::string& warning : report.warnings()) warn(warning);
  return report;
}

void StudyRun::warn(const std::string& warning) {
  const std::size_t before = study_.warnings.size();
  add_once(study_.warnings, warning);
  if (study_.warnings.size() > before && observer_ != nullptr) observer_->warning(warning);
}

void StudyRun::step(std::string_view what, std::size_t step, std::size_t steps) {
  check_cancelled();
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
  facts.title = "experiment " + study_.name;
  facts.summary = study_.about;
  facts.warnings = study_.warnings;
  for (const std::string& file : files_) facts.inputs.push_back(score::page_input("data", file));
  return facts;
}

std::vector<Metric> set_metrics(const StudyRun& run) {
  const std::vector<Metric>& asked = run.request().metrics;
  return asked.empty() ? std::vector<Metric>{"me", "impar", "prdc", "prd", "fid"} : asked;
}

std::vector<std::string> drawn_texts(const std::vector<std::string>& texts, std::size_t count,
                                     RandomStream random) {
  const std::vector<std::uint32_t> order = random.permutation(static_cast<std::uint32_t>(texts.size()));
  std::vector<std::string> chosen;
  for (std::size_t i = 0; i < std::min(count, order.size()); ++i) chosen.push_back(texts[order[i]]);
  return chosen;
}

double mean_of_draws(const std::vector<double>& draws) {
  return std::accumulate(draws.begin(), draws.end(), 0.0) / static_cast<double>(draws.size());
}

report::Cell spread_of(const std::vector<double>& draws) {
  if (draws.size() < 2) return {};
  return meta::mean_and_spread(draws).spread;
}

}  // namespace markeval::study
