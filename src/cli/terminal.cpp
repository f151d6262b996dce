#include "cli/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/quotation.hpp"

namespace markeval::cli {
namespace {

bool is_terminal() {
  const char* kind = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && (kind == nullptr || std::string_view(kind) != "dumb");
}

}  // namespace

std::string in_words(std::chrono::seconds duration) {
  const auto seconds = duration.count();
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return fmt::format("{}:{:02} min", seconds / 60, seconds % 60);
  return fmt::format("{}:{:02}:{:02} h", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

Terminal::Terminal(bool quiet) : quiet_(quiet), show_progress_(!quiet && is_terminal()) {}

Terminal::~Terminal() {
  clear_line();
}

void Terminal::progress(std::string_view stage, std::uint64_t done, std::uint64_t total) {
  if (!show_progress_) return;
  const auto now = Clock::now();
  if (stage != stage_) {
    stage_ = stage;
    stage_start_ = now;
  }
  if (now - last_shown_ < std::chrono::milliseconds(100)) return;
  last_shown_ = now;
  const double share = total == 0 ? 0 : static_cast<double>(done) / static_cast<double>(total);
  const std::chrono::duration<double> elapsed = now - stage_start_;
  std::string left;
  if (elapsed.count() > 0.5 && share > 0.01) {
    const std::chrono::duration<double> rest = elapsed * ((1 - share) / share);
    left = ", " + in_words(std::chrono::ceil<std::chrono::seconds>(rest)) + " left";
  }
  std::fprintf(stderr, "\r\033[K%s", fmt::format("{}: {:.0f} %{}", stage, 100 * share, left).c_str());
  std::fflush(stderr);
  line_shown_ = true;
}

void Terminal::info(const std::string& message) {
  if (quiet_) return;
  clear_line();
  std::fprintf(stderr, "markeval: %s\n", harmless(message).c_str());
}

void Terminal::warning(const std::string& message) {
  if (quiet_) return;
  clear_line();
  std::fprintf(stderr, "markeval: warning: %s\n", harmless(message).c_str());
}

void Terminal::clear_line() {
  if (line_shown_) std::fputs("\r\033[K", stderr);
  line_shown_ = false;
}

}  // namespace markeval::cli
