// The flag is a thread-local pointer; a scope sets it and puts the outer one back.
#include "base/cancellation.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stop_token>
#include <thread>

#include "base/error.hpp"

namespace markeval {
namespace {

thread_local const std::atomic<bool>* current_flag = nullptr;

}  // namespace

CancelScope::CancelScope(const std::atomic<bool>* flag) : outer_(current_flag) {
  if (flag != nullptr) current_flag = flag;
}

CancelScope::~CancelScope() {
  current_flag = outer_;
}

/// A flag that is set after a moment, or at once where no thread is to be had.
struct FinishScope::LateFlag {
  LateFlag() {
    const auto wait = [this](const std::stop_token& stop) {
      std::unique_lock lock(mutex);
      never.wait_for(lock, stop, std::chrono::milliseconds(300), [] { return false; });
      flag = true;
    };
    try {
      timer = std::jthread(wait);
    } catch (const std::exception&) {
      flag = true;
    }
  }

  std::atomic<bool> flag{false};
  std::mutex mutex;
  std::condition_variable_any never;  // its making asks for memory: not in the thread
  std::jthread timer;                 // the first to go
};

FinishScope::FinishScope() {
  if (current_flag == nullptr || !*current_flag) return;
  late_ = std::make_unique<LateFlag>();
  scope_.emplace(&late_->flag);
}

FinishScope::~FinishScope() = default;

const std::atomic<bool>* cancel_flag() {
  return current_flag;
}

void check_cancelled() {
  if (current_flag != nullptr && current_flag->load(std::memory_order_relaxed))
    throw Error(ErrorCode::cancelled, "stopped on request");
}

}  // namespace markeval
