#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/json_reader.hpp"
#include "fuzz/fuzz.hpp"
#include "serve/work.hpp"

namespace {

using namespace std::chrono_literals;

/// Asks the work to end after a second, as a server does after more.
class Deadline {
 public:
  Deadline() : thread_([this] { wait(); }) {}
  ~Deadline() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  std::atomic<bool> cancel{false};

 private:
  void wait() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, 1s, [&] { return over_; })) cancel = true;
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace

// What a request costs: whatever a small body asks for, it is done, refused or stopped within seconds. The
// first byte chooses the kind. Requests for a model are left out.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace markeval;
  if (size == 0) return 0;
  const auto kind = static_cast<serve::WorkKind>(data[0] % 3);
  static Evaluator evaluator({.threads = 1});
  const auto began = std::chrono::steady_clock::now();
  fuzz::answer_or_error([&] {
    nlohmann::json body =
        parse_json_object({reinterpret_cast<const char*>(data) + 1, size - 1}, "the request");
    const auto request = serve::read_work_request(kind, body, {"tiny", "none", 1000});
    if (request->needs_encoder()) return;
    Deadline deadline;
    serve::do_work(evaluator, *request, true, nullptr, &deadline.cancel);
  });
  fuzz::require(std::chrono::steady_clock::now() - began < 6s, "it ends soon after it was asked to");
  return 0;
}
