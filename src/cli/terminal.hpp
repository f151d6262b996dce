// Talk on standard error: warnings, and on a terminal how far the work is and how long it will still take.
#pragma once

#include <chrono>
#include <string>

#include "api/markeval.hpp"

namespace markeval::cli {

class Terminal : public Observer {
 public:
  explicit Terminal(bool quiet);
  ~Terminal() override;
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void progress(std::string_view stage, std::uint64_t done, std::uint64_t total) override;
  void info(const std::string& message) override;
  void warning(const std::string& message) override;
  /// A line for each metric, on a terminal only: the report shows them where they belong.
  void early_results(const std::vector<Result>& results) override;

 private:
  using Clock = std::chrono::steady_clock;
  void clear_line();
  bool quiet_;
  bool show_progress_;
  bool line_shown_ = false;
  std::string stage_;
  Clock::time_point stage_start_;
  Clock::time_point last_shown_;
  double share_at_start_ = 0;
};

}  // namespace markeval::cli
