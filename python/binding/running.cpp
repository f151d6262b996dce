#include "binding/running.hpp"

#include <nanobind/stl/string.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/cancellation.hpp"

namespace nb = nanobind;

namespace markeval::binding {
namespace {

constexpr std::chrono::milliseconds kLook{50};  // how often signals are looked at
constexpr int kLooksPerProgress = 4;

std::atomic<int> calls_inside{0}, calls_parked{0};
std::atomic<bool> interpreter_ends{false};
std::thread::id last_thread;  // which ends the interpreter

/// A thread that comes back to an interpreter at its end is ended by force, through frames of C++ that do not
/// allow that: the whole process would abort. So it stays here, and ends with the process.
void park_at_the_end() {
  if (!interpreter_ends || std::this_thread::get_id() == last_thread) return;
  ++calls_parked;
  for (;;) ::pause();
}

/// A call of the engine, counted.
class Call {
 public:
  Call() {
    static const int once = ::pthread_atfork(nullptr, nullptr, [] { calls_inside = calls_parked = 0; });
    static_cast<void>(once);
    ++calls_inside;
  }
  ~Call() { --calls_inside; }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
};

/// Where the work is, kept for whoever asks.
class Watch : public Observer {
 public:
  struct Position {
    std::string stage;
    std::uint64_t done = 0, total = 0;
  };

  void progress(std::string_view stage, std::uint64_t done, std::uint64_t total) override {
    const std::lock_guard lock(mutex_);
    position_ = {std::string(stage), done, total};
    news_ = true;
  }
  std::optional<Position> news() {
    const std::lock_guard lock(mutex_);
    if (!news_) return std::nullopt;
    news_ = false;
    return position_;
  }

 private:
  std::mutex mutex_;
  Position position_;
  bool news_ = false;
};

/// A thread that does the work and says when it is done.
class Worker {
 public:
  explicit Worker(Work work) : thread_([this, work] { run(work); }) {}
  ~Worker() { thread_.join(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  bool done_within(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return ended_.wait_for(lock, time, [this] { return done_; });
  }
  void stop() { cancel_ = true; }
  void wait() {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return done_; });
  }
  Watch& watch() { return watch_; }
  std::exception_ptr failure() const { return failure_; }

 private:
  void run(Work work) {
    const CancelScope stoppable(&cancel_);
    try {
      work(&watch_, &cancel_);
    } catch (...) {
      failure_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    done_ = true;
    ended_.notify_all();
  }

  Watch watch_;
  std::atomic<bool> cancel_{false};
  std::exception_ptr failure_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::thread thread_;  // last: starts when all else is there
};

}  // namespace

WithoutLock::WithoutLock() : state_(PyEval_SaveThread()) {
  park_at_the_end();
}

WithoutLock::~WithoutLock() {
  park_at_the_end();
  PyEval_RestoreThread(state_);
}

void end_calls() {
  constexpr std::chrono::seconds kPatience{5};
  last_thread = std::this_thread::get_id();
  interpreter_ends = true;
  const WithoutLock released;
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (calls_inside > calls_parked && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

void run(Work work, nb::handle progress, bool brief) {
  const Call call;
  if (brief) {
    const WithoutLock released;
    work(nullptr, nullptr);
    return;
  }
  std::optional<nb::python_error> raised;
  std::exception_ptr failure;
  {
    Worker worker(work);
    for (int look = 1;; ++look) {
      bool done = false;
      {
        const WithoutLock released;
        done = worker.done_within(kLook);
        if (interpreter_ends) {
          worker.stop();
          worker.wait();
        }
      }
      try {
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!progress.is_none() && (done || look % kLooksPerProgress == 0)) {
          if (const auto position = worker.watch().news())
            progress(position->stage, position->done, position->total);
        }
      } catch (nb::python_error& error) {
        raised.emplace(std::move(error));
        worker.stop();
      }
      if (done || raised) break;
    }
    const WithoutLock released;
    worker.wait();
    failure = worker.failure();
  }
  if (raised) throw std::move(*raised);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace markeval::binding
