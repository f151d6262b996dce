// How many connections are open, and a wait for the end of all.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <utility>

namespace markeval::serve {

class OpenConnections {
 public:
  /// One of them, for as long as it lives.
  class Seat {
   public:
    explicit Seat(OpenConnections& all) : all_(&all) {
      const std::lock_guard lock(all.mutex_);
      others_ = all.open_++;
    }
    Seat(Seat&& other) noexcept : all_(std::exchange(other.all_, nullptr)), others_(other.others_) {}
    Seat& operator=(Seat&&) = delete;
    ~Seat() {
      if (all_ == nullptr) return;
      const std::lock_guard lock(all_->mutex_);
      --all_->open_;
      all_->ended_.notify_all();
    }
    std::size_t others() const { return others_; }  ///< that were open before

   private:
    OpenConnections* all_;
    std::size_t others_ = 0;
  };

  std::size_t count() const {
    const std::lock_guard lock(mutex_);
    return open_;
  }
  void wait_for_end() {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return open_ == 0; });
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  std::size_t open_ = 0;
};

}  // namespace markeval::serve
