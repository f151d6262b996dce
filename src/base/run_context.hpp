// What a long computation is given besides its data: threads, a way to tell how far it is, a way to be
// stopped, and somebody to tell what a user should know. The library itself never prints.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/cancellation.hpp"
#include "base/error.hpp"
#include "base/finding.hpp"
#include "base/parallel.hpp"

namespace markeval {

/// Told how far the work is. Called from one thread at a time, often: implementations decide what to show.
class ProgressSink {
 public:
  virtual ~ProgressSink() = default;
  /// `stage` names the work ("neighbours of refs.npy"); done <= total, in units that cost about the same.
  virtual void update(std::string_view stage, std::uint64_t done, std::uint64_t total) = 0;
};

/// Told what a user should know but need not act on. Called from one thread at a time.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void info(const std::string& message) = 0;
  virtual void warning(const std::string& message) = 0;
  /// What was counted: a warning, where there is something to warn of.
  virtual void find(const Finding& finding) {
    if (const std::string text = text_of(finding); !text.empty()) warning(text);
  }
};

struct RunContext {
  ThreadPool& pool;
  ProgressSink* progress = nullptr;
  LogSink* log = nullptr;
  const std::atomic<bool>* cancel = cancel_flag();  ///< that of the thread, unless another one is named

  /// Throws Error(cancelled) once the user asked to stop. Cheap enough for every tile.
  void check_cancelled() const {
    if (cancel != nullptr && cancel->load(std::memory_order_relaxed)) {
      throw Error(ErrorCode::cancelled, "stopped on request");
    }
  }
  void report_progress(std::string_view stage, std::uint64_t done, std::uint64_t total) const {
    if (progress != nullptr) progress->update(stage, done, total);
  }
  void warn(const std::string& message) const {
    if (log != nullptr) log->warning(message);
  }
  void find(const Finding& finding) const {
    if (log != nullptr) log->find(finding);
  }
};

}  // namespace markeval
