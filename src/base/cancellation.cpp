// The flag is a thread-local pointer; a scope sets it and puts the outer one back.
#include "base/cancellation.hpp"

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

const std::atomic<bool>* cancel_flag() {
  return current_flag;
}

void check_cancelled() {
  if (current_flag != nullptr && current_flag->load(std::memory_order_relaxed))
    throw Error(ErrorCode::cancelled, "stopped on request");
}

}  // namespace markeval
