// Handlers for SIGINT, SIGTERM and SIGXFSZ, and a terminate handler that ends with one sentence.
#include "cli/interrupt.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

namespace markeval::cli {
namespace {

std::atomic<bool> signalled{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // or a signal handler could not touch it

extern "C" void on_interrupt(int) {
  signalled.store(true);
}

/// Some functions of libraries promise not to throw and yet ask for memory.
[[noreturn]] void give_up() {
  std::string_view sentence = "markeval: a library failed, most likely because memory ran out\n";
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    sentence = "markeval: not enough memory\n";
  } catch (...) {
    std::abort();  // a mistake of ours: with all that the system can tell about it
  }
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, sentence.data(), sentence.size());
  ::_exit(1);
}

}  // namespace

const std::atomic<bool>& catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  static const CancelScope stoppable(&signalled);  // the writing of the results, too
  return signalled;
}

void ignore_file_size_signal() {
  std::signal(SIGXFSZ, SIG_IGN);
}

void end_with_a_sentence() {
  std::set_terminate(give_up);
}

}  // namespace markeval::cli
