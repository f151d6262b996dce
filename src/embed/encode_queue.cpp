// One waiting thread at a time runs the next batch for all; the others wait until their own task is done.
#include "embed/encode_queue.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <vector>

#include "base/cancellation.hpp"

namespace markeval::embed {
namespace {

constexpr std::chrono::milliseconds kLook{50};  // at the flag that cancels

/// A batch holds texts of others: it does not stop for the one whose thread runs it.
const std::atomic<bool> kNeverCancelled{false};

std::exception_ptr failure_of(encoder::Encoder& encoder, EncodeBatch& batch) {
  try {
    batch.run(encoder);
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace

void EncodeQueue::run(encoder::Encoder& encoder, EncodeTask& task, const RunContext& context) {
  std::unique_lock lock(mutex_);
  const auto mine = waiting_.insert(waiting_.end(), Waiting{task});
  std::exception_ptr cancelled;
  while (!mine->is_done() && !cancelled) {
    const std::size_t started = task.started();
    lock.unlock();
    try {
      context.report_progress("encoding", started, task.batches());
      context.check_cancelled();
    } catch (...) {
      cancelled = std::current_exception();
    }
    lock.lock();
    if (cancelled || mine->is_done()) break;
    if (is_running_) {
      changed_.wait_for(lock, kLook);
    } else {
      run_next_batch(encoder, lock);
    }
  }
  changed_.wait(lock, [&] { return !mine->in_batch; });  // whose rows go to memory of this task
  const std::exception_ptr failure = mine->failure ? mine->failure : cancelled;
  waiting_.erase(mine);
  lock.unlock();
  changed_.notify_all();
  if (failure) std::rethrow_exception(failure);
  task.finish();
}

/// The next batch of the first who waits, filled up with those of others. With the lock held, but for the
/// run.
void EncodeQueue::run_next_batch(encoder::Encoder& encoder, std::unique_lock<std::mutex>& lock) {
  const auto has_batch = [](const Waiting& one) { return !one.is_done() && !one.task.is_started(); };
  const auto first = std::ranges::find_if(waiting_, has_batch);
  if (first == waiting_.end()) return;
  const std::size_t most = encoder.device().batch_tokens();
  struct SharedBatch {
    Waiting* waiting;
    EncodeBatch batch{};
    std::exception_ptr failure{};
  };
  std::vector<SharedBatch> members;
  EncodeBatch together;
  try {
    for (auto next = first; next != waiting_.end(); ++next) {
      const bool fits =
          next == first || (has_batch(*next) && together.tokens() + next->task.next_tokens() <= most &&
                            std::ranges::equal(next->task.layers(), first->task.layers()));
      if (!fits) continue;
      SharedBatch& member = members.emplace_back(SharedBatch{&*next});
      member.batch.add(next->task);
      together.append(member.batch);
    }
  } catch (...) {  // no memory for a batch
    for (SharedBatch& member : members) member.waiting->failure = std::current_exception();
    if (members.empty()) first->failure = std::current_exception();
    return;
  }
  for (SharedBatch& member : members) member.waiting->in_batch = true;
  waiting_.splice(waiting_.end(), waiting_, first);
  is_running_ = true;
  lock.unlock();
  {
    const CancelScope goes_on(&kNeverCancelled);
    const std::exception_ptr failure = failure_of(encoder, together);
    // Perhaps by the text of one of them: each finds out alone.
    for (SharedBatch& member : members)
      member.failure = failure && members.size() > 1 ? failure_of(encoder, member.batch) : failure;
  }
  lock.lock();
  for (SharedBatch& member : members) {
    member.waiting->in_batch = false;
    member.waiting->failure = member.failure;
  }
  is_running_ = false;
  changed_.notify_all();
}

}  // namespace markeval::embed
