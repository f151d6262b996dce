#include "base/parallel.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace markeval {
namespace {

// Which worker of which pool this thread is at the moment; an inner loop keeps using that worker's scratch
// space.
thread_local const void* current_pool = nullptr;
thread_local std::size_t current_worker = 0;

std::size_t usable_cores() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<std::size_t>(CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

// Waking a sleeping thread takes longer than a small matrix product: work that follows at once finds the
// threads still looking.
constexpr std::chrono::microseconds kLookBeforeSleep{25};

template <typename Condition>
void look_for(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + kLookBeforeSleep;
  while (!condition()) {
    for (int pause = 0; pause < 16; ++pause) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#elif defined(__aarch64__)
      asm volatile("yield");
#endif
    }
    if (std::chrono::steady_clock::now() > end) return;
  }
}

struct Loop {
  std::size_t items;
  FunctionRef<void(std::size_t, std::size_t)> body;
  std::atomic<std::size_t> next{0};
  std::mutex failure_mutex{};
  std::size_t failed_item = 0;
  std::exception_ptr failure{};

  void run(std::size_t worker) {
    for (std::size_t item = next.fetch_add(1); item < items; item = next.fetch_add(1)) {
      try {
        body(item, worker);
      } catch (...) {
        const std::lock_guard lock(failure_mutex);
        if (!failure || item < failed_item) {
          failure = std::current_exception();
          failed_item = item;
        }
        next.store(items);  // items already started still finish
      }
    }
  }
};

}  // namespace

struct ThreadPool::State {
  std::vector<std::thread> threads;
  std::mutex one_loop_at_a_time;
  std::mutex mutex;
  std::condition_variable work_arrived;
  std::condition_variable work_done;
  Loop* loop = nullptr;
  std::atomic<std::size_t> generation = 0;  // written under the mutex
  std::atomic<std::size_t> busy = 0;        // likewise
  bool stopping = false;

  void serve(std::size_t worker) {
    current_pool = this;
    current_worker = worker;
    std::size_t seen = 0;
    std::unique_lock lock(mutex);
    while (true) {
      lock.unlock();
      look_for([&] { return generation != seen; });
      lock.lock();
      work_arrived.wait(lock, [&] { return stopping || generation != seen; });
      if (stopping) return;
      seen = generation;
      Loop* const mine = loop;
      lock.unlock();
      mine->run(worker);
      lock.lock();
      if (--busy == 0) work_done.notify_one();
    }
  }
};

ThreadPool::ThreadPool(std::size_t threads) : state_(std::make_unique<State>()) {
  const std::size_t count = threads == 0 ? usable_cores() : threads;
  for (std::size_t worker = 1; worker < count; ++worker) {
    state_->threads.emplace_back([state = state_.get(), worker] { state->serve(worker); });
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->work_arrived.notify_all();
  for (std::thread& thread : state_->threads) thread.join();
}

std::size_t ThreadPool::size() const {
  return state_->threads.size() + 1;
}

void ThreadPool::for_each(std::size_t items, FunctionRef<void(std::size_t, std::size_t)> body) {
  if (items == 0) return;
  if (current_pool == state_.get()) {
    for (std::size_t item = 0; item < items; ++item) body(item, current_worker);
    return;
  }
  const std::lock_guard one_at_a_time(state_->one_loop_at_a_time);
  Loop loop{items, body};
  {
    const std::lock_guard lock(state_->mutex);
    state_->loop = &loop;
    state_->busy = state_->threads.size();
    ++state_->generation;
  }
  state_->work_arrived.notify_all();
  const void* const outer_pool = std::exchange(current_pool, state_.get());
  const std::size_t outer_worker = std::exchange(current_worker, 0);
  loop.run(0);
  current_pool = outer_pool;
  current_worker = outer_worker;
  look_for([&] { return state_->busy == 0; });
  {
    std::unique_lock lock(state_->mutex);
    state_->work_done.wait(lock, [&] { return state_->busy == 0; });
  }
  if (loop.failure) std::rethrow_exception(loop.failure);
}

}  // namespace markeval
