// Passes on what happens during a computation to the caller's observer, and keeps the warnings for the
// report.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/run_context.hpp"
#include "base/told_findings.hpp"
#include "request/observer.hpp"

namespace markeval::score {

class Listener : public ProgressSink, public LogSink {
 public:
  explicit Listener(Observer* observer) : observer_(observer) {}
  void update(std::string_view stage, std::uint64_t done, std::uint64_t total) override {
    if (observer_ != nullptr) observer_->progress(prefix_ + std::string(stage), done, total);
  }
  void info(const std::string& message) override {
    if (observer_ != nullptr) observer_->info(message);
  }
  void warning(const std::string& message) override { find({FindingKind::other, {message}, {}}); }
  void find(const Finding& finding) override {
    findings_.push_back(finding);
    const std::string message = told_.text_to_tell(finding);
    if (!message.empty() && observer_ != nullptr) observer_->warning(message);
  }
  void early_results(const std::vector<Result>& results) {
    if (observer_ != nullptr) observer_->early_results(results);
  }
  /// What is being scored, said before the stage: "good: ".
  void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }
  /// By kind, then in the order they were found: a run in parts has the same order.
  std::vector<Finding> take_findings() {
    std::ranges::stable_sort(findings_, [](const Finding& a, const Finding& b) { return a.kind < b.kind; });
    return std::move(findings_);
  }
  std::vector<std::string> take_warnings() {
    std::vector<std::string> warnings;
    ToldFindings told;
    for (const Finding& finding : take_findings()) {
      const std::string message = told.text_to_tell(finding);
      if (!message.empty()) warnings.push_back(message);
    }
    return warnings;
  }

 private:
  Observer* observer_;
  std::string prefix_;
  std::vector<Finding> findings_;
  ToldFindings told_;
};

}  // namespace markeval::score
