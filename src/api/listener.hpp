// Passes on what happens during a computation to the caller's observer, and keeps the warnings for the
// report.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/markeval.hpp"
#include "base/run_context.hpp"

namespace markeval {

class Listener : public ProgressSink, public LogSink {
 public:
  explicit Listener(Observer* observer) : observer_(observer) {}
  void update(std::string_view stage, std::uint64_t done, std::uint64_t total) override {
    if (observer_ != nullptr) observer_->progress(prefix_ + std::string(stage), done, total);
  }
  void info(const std::string& message) override {
    if (observer_ != nullptr) observer_->info(message);
  }
  void warning(const std::string& message) override {
    // Of a reference that several systems meet: once.
    if (std::find(warnings_.begin(), warnings_.end(), message) != warnings_.end()) return;
    warnings_.push_back(message);
    if (observer_ != nullptr) observer_->warning(message);
  }
  void early_results(const std::vector<Result>& results) {
    if (observer_ != nullptr) observer_->early_results(results);
  }
  /// What is being scored, said before the stage: "good: ".
  void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }
  std::vector<std::string> take_warnings() { return std::move(warnings_); }

 private:
  Observer* observer_;
  std::string prefix_;
  std::vector<std::string> warnings_;
};

}  // namespace markeval
