#include "binding/running.hpp"

#include <nanobind/stl/string.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace nb = nanobind;

namespace markeval::binding {
namespace {

constexpr std::chrono::milliseconds kLook{50};  // how often signals are looked at
constexpr int kLooksPerProgress = 4;

/// Where the work is, kept for whoever asks.
class Watch : public Observer {
 public:
  struct Place {
    std::string stage;
    std::uint64_t done = 0, total = 0;
  };

  void progress(std::string_view stage, std::uint64_t done, std::uint64_t total) override {
    const std::lock_guard lock(mutex_);
    place_ = {std::string(stage), done, total};
    news_ = true;
  }
  std::optional<Place> news() {
    const std::lock_guard lock(mutex_);
    if (!news_) return std::nullopt;
    news_ = false;
    return place_;
  }

 private:
  std::mutex mutex_;
  Place place_;
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

void run(Work work, nb::handle progress, bool brief) {
  if (brief) {
    const nb::gil_scoped_release released;
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
        const nb::gil_scoped_release released;
        done = worker.done_within(kLook);
      }
      try {
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!progress.is_none() && (done || look % kLooksPerProgress == 0)) {
          if (const auto place = worker.watch().news()) progress(place->stage, place->done, place->total);
        }
      } catch (nb::python_error& error) {
        raised.emplace(std::move(error));
        worker.stop();
      }
      if (done || raised) break;
    }
    const nb::gil_scoped_release released;
    worker.wait();
    failure = worker.failure();
  }
  if (raised) throw std::move(*raised);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace markeval::binding
