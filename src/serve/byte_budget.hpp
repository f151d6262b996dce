// How many bytes of requests the server holds at once: those that arrive, wait and run, and jobs. Beyond, a
// request is refused before its bytes are read.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace markeval::serve {

class ByteBudget {
 public:
  explicit ByteBudget(std::size_t most) : most_(most) {}
  std::size_t used() const { return used_; }

 private:
  friend class ByteLease;
  std::size_t most_;
  std::atomic<std::size_t> used_{0};
};

/// Bytes taken from a budget, given back at the end. The budget must live as long.
class ByteLease {
 public:
  ByteLease() = default;
  ByteLease(ByteLease&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  ByteLease& operator=(ByteLease&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~ByteLease() {
    if (budget_ != nullptr) budget_->used_ -= bytes_;
  }

  /// False: the budget does not have so many.
  bool take(ByteBudget& budget, std::size_t bytes) {
    budget_ = &budget;
    if (budget.used_.fetch_add(bytes) + bytes > budget.most_) {
      budget.used_ -= bytes;
      return false;
    }
    bytes_ += bytes;
    return true;
  }

 private:
  ByteBudget* budget_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace markeval::serve
