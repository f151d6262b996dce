#include "cli/interrupt.hpp"

#include <csignal>

namespace markeval::cli {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // or a signal handler could not touch it

extern "C" void on_interrupt(int) {
  interrupted.store(true);
}

}  // namespace

const std::atomic<bool>& catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return interrupted;
}

}  // namespace markeval::cli
