// Queues and worker threads of a lane, and the choice of lane.
#include "serve/lanes.hpp"

#include <algorithm>
#include <chrono>
#include <new>

#include "base/parallel.hpp"
#include "score/runtime.hpp"

namespace markeval::serve {
namespace {

constexpr std::size_t kMostLexicalWorkers = 8;
constexpr std::chrono::milliseconds kWaitForMemory{20};

std::exception_ptr stopped(const char* why) {
  return std::make_exception_ptr(Error(ErrorCode::cancelled, why));
}

/// Also lets go of what the task held: who is told may hold the task.
void finish(LaneTask& task, WorkResult result, const std::exception_ptr& failure) {
  const auto done = std::move(task.done);
  task.started = nullptr;
  done(std::move(result), failure);
}

}  // namespace

Lane::Lane(std::string_view name, std::size_t workers,
           const std::function<std::unique_ptr<Evaluator>()>& make, Counters& counters)
    : name_(name),
      counters_(counters),
      given_up_(stopped("stopped on request")),
      server_stops_(stopped("the server is stopping")) {
  for (std::size_t i = 0; i < workers; ++i) evaluators_.push_back(make());
  for (const auto& evaluator : evaluators_) threads_.emplace_back([this, &evaluator] { work(*evaluator); });
}

Lane::~Lane() {
  close();
}

void Lane::close() {
  stop();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

std::size_t Lane::count_waiting(bool jobs) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(waiting_, [&](const auto& task) { return task->job == jobs; }));
}

bool Lane::offer(const std::shared_ptr<LaneTask>& task, std::size_t most) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) throw Error(ErrorCode::cancelled, "the server is stopping");
    if (count_waiting(task->job) >= most) return false;
    waiting_.push_back(task);
  }
  changed_.notify_one();
  return true;
}

void Lane::give_up(const std::shared_ptr<LaneTask>& task) {
  task->cancel = true;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(waiting_, task);
    if (found == waiting_.end()) return;  // it runs, and ends soon
    waiting_.erase(found);
  }
  finish(*task, {}, given_up_);
}

std::size_t Lane::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

bool Lane::is_idle() const {
  const std::lock_guard lock(mutex_);
  return waiting_.empty() && running_.empty();
}

void Lane::stop() {
  std::vector<std::shared_ptr<LaneTask>> dropped;  // a deque would ask for memory
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    dropped.swap(waiting_);
    for (const auto& task : running_) task->cancel = true;
  }
  changed_.notify_all();
  for (const auto& task : dropped) finish(*task, {}, server_stops_);
}

void Lane::work(Evaluator& evaluator) {
  for (std::unique_lock lock(mutex_);;) {
    changed_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    try {  // before anything is taken: no task is lost where memory is
      running_.reserve(running_.size() + 1);
    } catch (const std::bad_alloc&) {
      lock.unlock();
      std::this_thread::sleep_for(kWaitForMemory);
      lock.lock();
      continue;
    }
    const std::shared_ptr<LaneTask> task = take_next();
    running_.push_back(task);
    lock.unlock();
    run(evaluator, *task);
    lock.lock();
    std::erase(running_, task);
  }
}

/// Jobs and requests by turns: a client at a connection does not stand behind a hundred jobs, and no job
/// waits for ever. With the lock held.
std::shared_ptr<LaneTask> Lane::take_next() {
  auto next = std::ranges::find_if(waiting_, [&](const auto& task) { return task->job != last_was_job_; });
  if (next == waiting_.end()) next = waiting_.begin();
  std::shared_ptr<LaneTask> task = *next;
  waiting_.erase(next);
  last_was_job_ = task->job;
  return task;
}

void Lane::run(Evaluator& evaluator, LaneTask& task) {
  WorkResult result;
  std::exception_ptr failure;
  try {
    if (task.started) task.started();
    result = do_work(evaluator, *task.request, task.job, task.observer, &task.cancel);
    counters_.add(Counters::Count::texts, "", task.request->texts);
    if (result.tokens > 0) counters_.add(Counters::Count::tokens, "", result.tokens);
    if (result.cache_hits > 0) counters_.add(Counters::Count::cache_hits, "", result.cache_hits);
    if (result.cache_misses > 0) counters_.add(Counters::Count::cache_misses, "", result.cache_misses);
  } catch (...) {
    failure = std::current_exception();
  }
  finish(task, std::move(result), failure);
}

Lanes::Lanes(const ServeSettings& settings, Counters& counters) : settings_(settings) {
  const std::size_t cores = settings.compute.threads > 0 ? settings.compute.threads : usable_cores();
  Settings compute = settings.compute;
  compute.max_model_bytes = settings.max_models_mib << 20;
  const auto runtime = std::make_shared<score::Runtime>(compute);
  const auto with_threads = [&](std::size_t threads) {
    return [=] { return std::make_unique<Evaluator>(*runtime, threads); };
  };
  lanes_[0] = std::make_unique<Lane>("lexical_small", std::min(cores, kMostLexicalWorkers), with_threads(1),
                                     counters);
  lanes_[1] = std::make_unique<Lane>("lexical_large", 1, with_threads(cores), counters);
  lanes_[2] = std::make_unique<Lane>("encoder_small", settings.max_together, with_threads(1), counters);
  lanes_[3] = std::make_unique<Lane>("encoder_large", 1, with_threads(0), counters);
}

Lane& Lanes::lane_of(const LaneTask& task) {
  const WorkRequest& request = *task.request;
  // Resampling makes a small text a long task.
  const bool resampled =
      request.kind == WorkKind::compare || request.kind == WorkKind::correlate || request.score.resamples > 0;
  const bool large = task.job || resampled || request.bytes > settings_.max_small_kib * 1024;
  return *lanes_[(request.needs_encoder() ? 2U : 0U) + (large ? 1U : 0U)];
}

std::map<std::string, std::uint64_t> Lanes::waiting() const {
  std::map<std::string, std::uint64_t> counts;
  for (const auto& lane : lanes_) counts[std::string(lane->name())] = lane->waiting();
  return counts;
}

bool Lanes::are_idle() const {
  return std::ranges::all_of(lanes_, [](const auto& lane) { return lane->is_idle(); });
}

void Lanes::stop() {
  for (const auto& lane : lanes_) lane->stop();
}

void Lanes::close() {
  stop();
  for (const auto& lane : lanes_) lane->close();
}

}  // namespace markeval::serve
