// Who works when. Four lanes, each with its own threads: requests that need the encoder and those that do
// not, small ones and large ones. So a count of words never waits for an encoder, and a short question never
// waits behind a corpus. All lanes share one runtime: a model is in memory once, and what several requests
// want of it meets in its queue (embed/encode_queue.hpp).
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "serve/byte_budget.hpp"
#include "serve/counters.hpp"
#include "serve/settings.hpp"
#include "serve/work.hpp"

namespace markeval::serve {

/// A piece of work on its way through a lane, shared by who waits for it and who does it.
struct LaneTask {
  std::unique_ptr<WorkRequest> request;
  ByteLease bytes{};             ///< of the body it came in
  bool job = false;              ///< nobody waits at a connection: it goes to a lane for large work
  Observer* observer = nullptr;  ///< must live until `done`
  std::atomic<bool> cancel{false};
  /// Called once, by a thread of a lane: with a result, or with what was thrown.
  std::function<void(WorkResult result, std::exception_ptr failure)> done;
  std::function<void()> started;  ///< may be empty
};

class Lane {
 public:
  /// So many threads, each with an evaluator that makes() gives.
  Lane(std::string_view name, std::size_t workers, const std::function<std::unique_ptr<Evaluator>()>& make,
       Counters& counters);
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  std::string_view name() const { return name_; }
  /// False: `most` of the same kind, jobs or requests, wait already.
  bool offer(const std::shared_ptr<LaneTask>& task, std::size_t most);
  /// A task nobody waits for any more; `done` is called for it all the same.
  void give_up(const std::shared_ptr<LaneTask>& task);
  std::size_t waiting() const;
  /// Nothing waits, nothing runs.
  bool is_idle() const;
  /// What waits is dropped, what runs is asked to end. Nothing is taken after that.
  void stop();
  /// Stops, and waits for what runs.
  void close();

 private:
  void work(Evaluator& evaluator);
  std::shared_ptr<LaneTask> take_next();
  void run(Evaluator& evaluator, LaneTask& task);
  std::size_t count_waiting(bool jobs) const;

  std::string_view name_;
  Counters& counters_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<LaneTask>> waiting_;  ///< the oldest first
  std::vector<std::shared_ptr<LaneTask>> running_;
  const std::exception_ptr given_up_, server_stops_;  ///< made while there is memory
  bool stopping_ = false;
  bool last_was_job_ = true;
  std::vector<std::unique_ptr<Evaluator>> evaluators_;
  std::vector<std::thread> threads_;
};

class Lanes {
 public:
  Lanes(const ServeSettings& settings, Counters& counters);

  /// The lane for a task.
  Lane& lane_of(const LaneTask& task);
  /// How many wait in every lane, by its name.
  std::map<std::string, std::uint64_t> waiting() const;
  bool are_idle() const;
  void stop();
  void close();

 private:
  const ServeSettings& settings_;
  std::array<std::unique_ptr<Lane>, 4> lanes_;
};

}  // namespace markeval::serve
