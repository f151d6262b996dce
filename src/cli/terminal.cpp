// Progress lines that fit the width of the screen and are wiped before other output; early results after 30
// seconds.
#include "cli/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "base/duration.hpp"
#include "base/error.hpp"
#include "base/quotation.hpp"
#include "report/cells.hpp"

namespace markeval::cli {
namespace {

constexpr std::chrono::milliseconds kBetweenLines{100};
constexpr std::chrono::seconds kUntilEarlyResults{30};
constexpr std::size_t kUsualWidth = 80;

std::atomic<bool> line_shown{false};  // there is one screen, whoever writes to it

bool is_terminal() {
  const char* kind = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && (kind == nullptr || std::string_view(kind) != "dumb");
}

std::size_t screen_width(int descriptor) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsualWidth;
}

/// A line that wraps could not be wiped. What matters stands at its end.
std::string last_characters(const std::string& line, std::size_t most) {
  std::size_t begin = line.size(), characters = 0;
  while (begin > 0 && characters < most) {
    --begin;
    if ((static_cast<unsigned char>(line[begin]) & 0xC0) != 0x80) ++characters;
  }
  return line.substr(begin);
}

void write_error(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

void wipe_progress() {
  if (line_shown.exchange(false)) write_error("\r\033[K");
}

void say(std::string_view line) {
  wipe_progress();
  const std::size_t width = ::isatty(STDERR_FILENO) == 1 ? screen_width(STDERR_FILENO) : 0;
  write_error(report::wrapped(harmless(line), width) + "\n");
}

void say_lines(std::string_view text) {
  wipe_progress();
  write_error(printable(text));
}

void print(std::string_view text) {
  wipe_progress();
  std::string shown;
  if (::isatty(STDOUT_FILENO) == 1) text = shown = printable(text);
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw_io("standard output", "write");
}

std::size_t width_of_output() {
  return ::isatty(STDOUT_FILENO) == 1 ? screen_width(STDOUT_FILENO) : 0;
}

Terminal::Terminal(bool quiet) : quiet_(quiet), show_progress_(!quiet && is_terminal()) {}

Terminal::~Terminal() {
  wipe_progress();
}

void Terminal::progress(std::string_view stage, std::uint64_t done, std::uint64_t total) {
  if (!show_progress_) return;
  const auto now = Clock::now();
  const double share = total == 0 ? 0 : static_cast<double>(done) / static_cast<double>(total);
  if (stage != stage_) {
    stage_ = stage;
    stage_start_ = now;
    share_at_start_ = share;
  }
  if (now - last_shown_ < kBetweenLines) return;
  last_shown_ = now;
  if (!early_.empty() && now - early_since_ >= kUntilEarlyResults) {
    say("markeval: ready so far:");
    for (const std::string& line : early_) say(line);
    early_.clear();
  }
  const std::chrono::duration<double> elapsed = now - stage_start_;
  std::string line = printable(stage);
  if (total > 0) line += fmt::format(": {:.0f} %", 100 * share);
  const double gained = share - share_at_start_;  // a stage may go on after others: splits of the next system
  if (elapsed.count() > 0.5 && gained > 0.01) {
    const std::chrono::duration<double> rest = elapsed * ((1 - share) / gained);
    line += ", " + in_words(std::chrono::ceil<std::chrono::seconds>(rest)) + " left";
  }
  write_error("\r\033[K" + last_characters(line, screen_width(STDERR_FILENO) - 1));
  line_shown = true;
}

void Terminal::info(const std::string& message) {
  if (!quiet_) say("markeval: " + message);
}

void Terminal::warning(const std::string& message) {
  if (!quiet_) say("markeval: warning: " + message);
}

void Terminal::early_results(const std::vector<Result>& results) {
  early_.clear();
  early_since_ = Clock::now();
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Result& result = results[i];
    const bool first = i == 0 || results[i - 1].requested != result.requested;
    if (first) early_.push_back(fmt::format("  {}:", result.requested));
    early_.back() += fmt::format("{} {} {:.4g}", first ? "" : ",", result.system, main_score(result));
  }
}

}  // namespace markeval::cli
