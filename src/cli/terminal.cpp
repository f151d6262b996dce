#include "cli/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/duration.hpp"
#include "base/quotation.hpp"

namespace markeval::cli {
namespace {

bool is_terminal() {
  const char* kind = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && (kind == nullptr || std::string_view(kind) != "dumb");
}

}  // namespace

Terminal::Terminal(bool quiet) : quiet_(quiet), show_progress_(!quiet && is_terminal()) {}

Terminal::~Terminal() {
  clear_line();
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
  if (now - last_shown_ < std::chrono::milliseconds(100)) return;
  last_shown_ = now;
  const std::chrono::duration<double> elapsed = now - stage_start_;
  std::string left;
  const double gained = share - share_at_start_;  // a stage may go on after others: splits of the next system
  if (elapsed.count() > 0.5 && gained > 0.01) {
    const std::chrono::duration<double> rest = elapsed * ((1 - share) / gained);
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

void Terminal::early_results(const std::vector<Result>& results) {
  if (!show_progress_) return;
  clear_line();
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Result& result = results[i];
    const bool first = i == 0 || results[i - 1].requested != result.requested;
    const bool last = i + 1 == results.size() || results[i + 1].requested != result.requested;
    std::fprintf(stderr, "%s", first ? fmt::format("markeval: {}: ", result.requested).c_str() : ", ");
    std::fprintf(stderr, "%s", harmless(fmt::format("{} {:.4g}", result.system, main_score(result))).c_str());
    if (last) std::fputs("\n", stderr);
  }
}

void Terminal::clear_line() {
  if (line_shown_) std::fputs("\r\033[K", stderr);
  line_shown_ = false;
}

}  // namespace markeval::cli
