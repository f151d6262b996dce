// The threads of the pool, the seats they take in a loop, and the number of usable cores from CPU affinity
// and cgroup limits.
#include "base/parallel.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <fstream>
#include <limits>
#include <mutex>
#include <new>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "base/cancellation.hpp"
#include "base/turns.hpp"

namespace markeval {
namespace {

// Which worker of which pool this thread is at the moment; an inner loop keeps using that worker's scratch
// space.
thread_local const void* current_pool = nullptr;
thread_local std::size_t current_worker = 0;

std::size_t cores_of_affinity() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<std::size_t>(CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

/// The folder of this process' group in /proc/self/cgroup: lines "0::/a/b" (version 2) and "4:cpu,cpuacct:/a"
/// (version 1).
std::string group_of(std::string_view controller, const std::string& root) {
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string names =
        fmt::format(",{},", std::string_view(line).substr(first + 1, second - first - 1));
    const bool mine =
        controller.empty() ? names == ",," : names.find(fmt::format(",{},", controller)) != std::string::npos;
    if (mine) return line.substr(second + 1);
  }
  return "/";
}

/// How many cores `quota` microseconds in each `period` are: rounded up, at least one.
std::size_t cores_of(double quota, double period) {
  if (!(quota > 0) || !(period > 0)) return std::numeric_limits<std::size_t>::max();
  return static_cast<std::size_t>(std::max(1.0, std::ceil(quota / period)));
}

/// Calls `look` for the group and all groups above it: each of them may be limited.
template <typename Look>
std::size_t least_of_groups(std::string group, const Look& look) {
  std::size_t least = look(group);
  for (std::size_t end = group.rfind('/'); end != std::string::npos; end = group.rfind('/')) {
    group.resize(end);
    least = std::min(least, look(group));
  }
  return least;
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

// A loop that has run this long lets others go first who wait for the pool.
constexpr std::chrono::milliseconds kSlice{2};

struct Loop {
  std::size_t items;
  FunctionRef<void(std::size_t, std::size_t)> body;
  const Turns& turns;
  const std::atomic<bool>* cancel = cancel_flag();  ///< of the caller
  std::atomic<std::size_t> next{0};
  std::mutex failure_mutex{};
  std::size_t failed_item = 0;
  std::exception_ptr failure{};
  std::chrono::steady_clock::time_point began{};  ///< this turn of it

  bool should_pause() const {
    return turns.is_awaited() && std::chrono::steady_clock::now() - began > kSlice;
  }
  std::size_t left() const { return items - std::min<std::size_t>(next, items); }

  void run(std::size_t worker) {
    const CancelScope as_the_caller(cancel);
    while (!should_pause()) {
      const std::size_t item = next.fetch_add(1);
      if (item >= items) return;
      try {
        check_cancelled();
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

// A loop has seats for threads beside the caller. A thread that is awake takes a seat without a lock; when
// no item is left, the caller takes back the seats that nobody took. So a loop never waits for a thread that
// sleeps or comes late, and a short loop does not wake them all.
struct ThreadPool::State {
  std::vector<std::thread> threads;
  Turns turns;       // one loop at a time
  std::mutex mutex;  // for those who sleep
  std::condition_variable work_arrived;
  std::condition_variable work_done;
  Loop* loop = nullptr;                // for those who have taken a seat
  std::atomic<std::size_t> seats = 0;  // opened under the mutex
  std::atomic<std::size_t> finished = 0;
  std::atomic<bool> caller_sleeps = false;
  bool stopping = false;

  /// Whether there are `count` of them now, the caller counted.
  bool start(std::size_t count) {
    stopping = false;
    try {
      while (threads.size() + 1 < count) {
        const std::size_t worker = threads.size() + 1;
        threads.emplace_back([this, worker] { serve(worker); });
      }
    } catch (const std::system_error&) {
      return false;
    } catch (const std::bad_alloc&) {
      return false;
    }
    return true;
  }

  void stop() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
    }
    work_arrived.notify_all();
    for (std::thread& thread : threads) thread.join();
    threads.clear();
  }

  bool take_seat() {
    std::size_t left = seats;
    while (left > 0)
      if (seats.compare_exchange_weak(left, left - 1)) return true;
    return false;
  }

  void serve(std::size_t worker) {
    current_pool = this;
    current_worker = worker;
    while (true) {
      look_for([&] { return seats > 0; });
      if (!take_seat()) {
        std::unique_lock lock(mutex);
        work_arrived.wait(lock, [&] { return stopping || seats > 0; });
        if (stopping) return;
        continue;
      }
      loop->run(worker);
      ++finished;
      if (caller_sleeps) {
        const std::lock_guard lock(mutex);
        work_done.notify_one();
      }
    }
  }

  void open(Loop& opened, std::size_t count) {
    loop = &opened;
    finished = 0;
    {
      const std::lock_guard lock(mutex);
      seats = count;
    }
    for (std::size_t seat = 0; seat < count; ++seat) work_arrived.notify_one();
  }

  /// Returns when all who took one of the `count` seats have finished.
  void close(std::size_t count) {
    const std::size_t taken = count - seats.exchange(0);
    const auto all_finished = [&] { return finished == taken; };
    look_for(all_finished);
    if (all_finished()) return;
    std::unique_lock lock(mutex);
    caller_sleeps = true;
    work_done.wait(lock, all_finished);
    caller_sleeps = false;
  }
};

std::size_t usable_cores(const std::string& root) {
  const std::size_t unified = least_of_groups(group_of("", root), [&](const std::string& group) {
    std::ifstream file(root + "/sys/fs/cgroup" + group + "/cpu.max");  // "max 100000" or "150000 100000"
    double quota = 0, period = 0;
    return file >> quota >> period ? cores_of(quota, period) : std::numeric_limits<std::size_t>::max();
  });
  const std::size_t first_version = least_of_groups(group_of("cpu", root), [&](const std::string& group) {
    const std::string folder = root + "/sys/fs/cgroup/cpu" + group;
    double quota = 0, period = 0;
    std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;  // -1: no limit
    std::ifstream(folder + "/cpu.cfs_period_us") >> period;
    return cores_of(quota, period);
  });
  return std::min({cores_of_affinity(), unified, first_version});
}

// Where the machine has no room for so many threads (a limit on processes or memory), the pool goes on with
// half of those there was room for, and so leaves some for the work. The results are the same.
ThreadPool::ThreadPool(std::size_t threads) : state_(std::make_unique<State>()) {
  std::size_t wanted = threads == 0 ? usable_cores() : threads;
  while (!state_->start(wanted)) {
    wanted = (state_->threads.size() + 1) / 2;
    state_->stop();
  }
}

ThreadPool::~ThreadPool() {
  state_->stop();
}

std::size_t ThreadPool::size() const {
  return state_->threads.size() + 1;
}

void ThreadPool::for_each(std::size_t items, FunctionRef<void(std::size_t, std::size_t)> body) {
  if (items == 0) return;
  if (current_pool == state_.get()) {
    for (std::size_t item = 0; item < items; ++item) {
      check_cancelled();
      body(item, current_worker);
    }
    return;
  }
  Loop loop{items, body, state_->turns};
  while (loop.left() > 0) {
    const std::lock_guard turn(state_->turns);
    loop.began = std::chrono::steady_clock::now();
    const std::size_t seats = std::min(state_->threads.size(), loop.left() - 1);
    state_->open(loop, seats);
    const void* const outer_pool = std::exchange(current_pool, state_.get());
    const std::size_t outer_worker = std::exchange(current_worker, 0);
    loop.run(0);
    current_pool = outer_pool;
    current_worker = outer_worker;
    state_->close(seats);
  }
  if (loop.failure) std::rethrow_exception(loop.failure);
}

}  // namespace markeval
