// A queue of those who wait, each of whom wakes now and then to look at the flag of its thread.
#include "base/turns.hpp"

#include <algorithm>

#include "base/cancellation.hpp"

namespace markeval {
namespace {

constexpr std::chrono::milliseconds kLookAtFlag{50};
// To hand over at once would put a thread to sleep and wake another one for each short loop.
constexpr std::chrono::milliseconds kLongEnough{2};

}  // namespace

void Turns::lock() {
  std::unique_lock lock(mutex_);
  if (!taken_) {
    taken_ = true;
    return;
  }
  Waiter waiter{std::chrono::steady_clock::now()};
  queue_.push_back(&waiter);
  waiting_ = queue_.size();
  while (!changed_.wait_for(lock, kLookAtFlag, [&] { return waiter.has_turn || !taken_; })) {
    const std::atomic<bool>* const flag = cancel_flag();
    if (flag == nullptr || !*flag) continue;
    leave(waiter);
    lock.unlock();
    check_cancelled();
  }
  if (!waiter.has_turn) leave(waiter);
  taken_ = true;
}

void Turns::unlock() noexcept {
  bool given = false;
  {
    const std::lock_guard lock(mutex_);
    given = !queue_.empty() && std::chrono::steady_clock::now() - queue_.front()->since > kLongEnough;
    if (given) {
      queue_.front()->has_turn = true;
      queue_.pop_front();
      waiting_ = queue_.size();
    } else {
      taken_ = false;
    }
  }
  if (given)
    changed_.notify_all();
  else
    changed_.notify_one();
}

void Turns::leave(const Waiter& waiter) {
  queue_.erase(std::find(queue_.begin(), queue_.end(), &waiter));
  waiting_ = queue_.size();
}

}  // namespace markeval
