// All that is said to a person: results on standard output; on standard error warnings, and on a terminal how
// far the work is and how long it will still take. Nothing here passes what a terminal would obey.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "api/markeval.hpp"

namespace markeval::cli {

/// Takes the line of progress off the screen: before anything else is written there.
void wipe_progress();

/// A line on standard error.
void say(std::string_view line);
/// The same for a text of several lines, all our own.
void say_lines(std::string_view text);

/// On standard output; on a terminal without anything it would obey, else byte by byte. Throws Error(io).
void print(std::string_view text);

/// Characters in a line where standard output is a terminal, else 0.
std::size_t width_of_output();

class Terminal : public Observer {
 public:
  explicit Terminal(bool quiet);
  ~Terminal() override;
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void progress(std::string_view stage, std::uint64_t done, std::uint64_t total) override;
  void info(const std::string& message) override;
  void warning(const std::string& message) override;
  /// A line for each metric, on a terminal only and once the rest has lasted for a while: the report shows
  /// them where they belong.
  void early_results(const std::vector<Result>& results) override;

 private:
  using Clock = std::chrono::steady_clock;
  bool quiet_;
  bool show_progress_;
  std::string stage_;
  Clock::time_point stage_start_;
  Clock::time_point last_shown_;
  double share_at_start_ = 0;
  std::vector<std::string> early_;  ///< results that were not shown yet, a line for each metric
  Clock::time_point early_since_;
};

}  // namespace markeval::cli
