// The life of a job: read, started on a lane, watched through events, stored, and removed when old.
#include "serve/jobs.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <thread>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_reader.hpp"
#include "base/json_text.hpp"
#include "serve/error_answer.hpp"
#include "serve/job_json.hpp"

namespace markeval::serve {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenEvents{200};
constexpr std::chrono::seconds kSignOfLife{5};
constexpr std::chrono::seconds kPatienceWithCancel{10};
constexpr std::size_t kLongestKey = 200;

/// The task lets go of its job: it will be told nothing.
void untie(LaneTask* task) {
  task->started = nullptr;
  task->done = nullptr;
}

/// 128 random bits: nobody can guess the name of another's job.
std::string random_name() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw_io("random numbers", "read");
  std::string name;
  for (const unsigned char byte : bytes) name += fmt::format("{:02x}", byte);
  return name;
}

HttpAnswer no_such_job() {
  return error_answer(404, "no such job, or its time is over");
}

}  // namespace

/// A job that waits or runs.
struct Jobs::LiveJob final : Observer {
  void progress(std::string_view its_stage, std::uint64_t its_done, std::uint64_t its_total) override {
    const std::lock_guard lock(mutex);
    stage = its_stage;
    done = its_done;
    total = its_total;
    ++version;
    changed.notify_all();
  }
  void set_state(JobState state) {
    const std::lock_guard lock(mutex);
    record.state = state;
    ++version;
    changed.notify_all();
  }
  bool has_ended() {
    const std::lock_guard lock(mutex);
    return record.ended > 0;
  }
  /// With the lock held.
  nlohmann::ordered_json json() const {
    nlohmann::ordered_json out = as_json(record);
    if (total == 0) return out;
    out["progress"] = {{"stage", stage}, {"done", done}, {"total", total}};
    return out;
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t version = 0;  ///< raised with every change
  JobRecord record;
  std::string stage;
  std::uint64_t done = 0, total = 0;
  std::shared_ptr<LaneTask> task;
  Lane* lane = nullptr;
  bool stored = false;                 ///< what became of it is in the store
  std::atomic<bool> cancelled{false};  ///< by the client, not by the server's end
};

Jobs::Jobs(const ServeSettings& settings, Lanes& lanes, Counters& counters, const BodyReader& bodies)
    : settings_(settings), lanes_(lanes), counters_(counters), bodies_(bodies), store_(settings.jobs) {
  forget_old();
}

Jobs::~Jobs() = default;

void Jobs::forget_old() {
  store_again();
  store_.remove_older_than(std::time(nullptr) - static_cast<std::int64_t>(settings_.max_job_hours) * 3600);
}

std::shared_ptr<Jobs::LiveJob> Jobs::live(const std::string& id) {
  const std::lock_guard lock(mutex_);
  for (const auto* jobs : {&live_, &unstored_}) {
    if (const auto found = jobs->find(id); found != jobs->end()) return found->second;
  }
  return nullptr;
}

void Jobs::store_again() {
  const std::lock_guard lock(mutex_);
  try {
    while (!unstored_.empty()) {
      const std::shared_ptr<LiveJob> job = unstored_.begin()->second;  // its mutex outlives the lock
      const std::lock_guard its_lock(job->mutex);
      store_.end(job->record, {}, {}, {});
      unstored_.erase(unstored_.begin());
    }
  } catch (const Error&) {  // the disk is still full
  }
}

std::optional<JobRecord> Jobs::ended(const std::string& id) {
  forget_old();
  return store_.find(id);
}

/// A new job, as the body says.
std::shared_ptr<Jobs::LiveJob> Jobs::read(HttpRequest& request) const {
  const auto job = std::make_shared<LiveJob>();
  job->record.body_digest = sha256_of(request.body);
  BodyReader::BodyDocument document(bodies_, request);
  std::string().swap(request.body);
  nlohmann::json& body = document.json;
  for (const auto& [name, value] : body.items()) {
    if (name != "kind" && name != "request")
      throw_usage(fmt::format("unknown field '{}', expected kind and request", name));
  }
  if (!body.contains("kind")) throw_usage("no kind in the request: score, compare, correlate, embeddings");
  if (!body["kind"].is_string())
    throw_usage(
        fmt::format("kind is {}, expected score, compare, correlate or embeddings", brief(body["kind"])));
  if (!body.contains("request"))
    throw_usage("no request in the request: the body that /v1/score and the others take");
  job->record.kind = body["kind"].get<std::string>();
  job->task = std::make_shared<LaneTask>();
  job->task->job = true;
  job->task->request =
      read_work_request(work_kind(job->record.kind), body["request"], work_defaults(settings_));
  job->task->bytes = std::move(request.bytes);
  job->lane = &lanes_.lane_of(*job->task);  // finds wrong names of metrics
  job->record.id = random_name();
  job->record.report_key = random_name();
  job->record.created = std::time(nullptr);
  return job;
}

HttpAnswer Jobs::post(HttpRequest& request) {
  forget_old();
  const std::string key(request.header("idempotency-key"));
  if (key.size() > kLongestKey)
    return error_answer(
        400, fmt::format("Idempotency-Key has {} bytes, expected at most {}", key.size(), kLongestKey));
  const std::shared_ptr<LiveJob> job = read(request);
  job->record.idempotency_key = key;
  std::string id = job->record.id;
  // All that asks for memory comes before the job is stored.
  std::map<std::string, std::shared_ptr<LiveJob>> made{{id, job}};
  std::unique_ptr<LaneTask, decltype(&untie)> tied(job->task.get(), untie);
  prepare(job);
  {
    const std::lock_guard lock(mutex_);  // two requests with one key are one after the other
    if (!key.empty()) {
      if (const auto known = store_.find_by_idempotency_key(key)) {
        if (known->body_digest != job->record.body_digest)
          return error_answer(409, "this Idempotency-Key was used for another request", "conflict",
                              "Take a new key.");
        if (is_worth_a_retry(*known)) {
          store_.free_idempotency_key(key);
        } else {
          id = known->id;
        }
      }
    }
    if (id == job->record.id && live_.size() >= settings_.max_jobs)
      return error_answer(429, fmt::format("{} jobs wait or run already", live_.size()));
    if (id == job->record.id && store_.bytes() > settings_.max_results_mib << 20)
      return error_answer(429,
                          fmt::format("results of jobs take {} MiB, more than {} (max_results_mib of "
                                      "the server)",
                                      store_.bytes() >> 20, settings_.max_results_mib),
                          "busy", "DELETE jobs whose results were read.");
    if (id == job->record.id) {
      store_.add(job->record);
      live_.merge(made);
    }
  }
  if (id == job->record.id) {
    tied.release();
    start(job);
  }
  HttpAnswer answer = state(id);
  answer.status = answer.status == 200 ? 202 : answer.status;
  answer.headers.emplace_back("Location", "/v1/jobs/" + id);
  return answer;
}

/// The task holds the job as long as it may be told anything, and lets go of it at its end.
void Jobs::prepare(const std::shared_ptr<LiveJob>& job) {
  LaneTask& task = *job->task;
  task.observer = job.get();
  task.started = [job] { job->set_state(JobState::running); };
  task.done = [this, job](WorkResult result, std::exception_ptr failure) {
    end(*job, std::move(result), failure);
  };
}

void Jobs::start(const std::shared_ptr<LiveJob>& job) {
  try {
    job->lane->offer(job->task, settings_.max_jobs);
  } catch (const std::exception&) {
    untie(job->task.get());
    end(*job, {}, std::current_exception());
  }
}

void Jobs::end(LiveJob& job, WorkResult result, const std::exception_ptr& failure) {
  JobRecord record;
  bool stored = false;
  try {
    {
      const std::lock_guard lock(job.mutex);
      record = job.record;
    }
    record.state = failure ? JobState::failed : JobState::done;
    record.ended = std::time(nullptr);
    if (failure) {
      record.error = error_answer(failure).body;
      if (job.cancelled) {
        record.state = JobState::cancelled;
        record.error.clear();
      }
      result = {};
    }
    record.has_page = !result.page.empty();
    try {
      store_.end(record, result.json, result.tsv, result.page);
      stored = true;
    } catch (
        const Error& error) {  // a full disk: the result is lost, and that is said while the server lives
      record.state = JobState::failed;
      record.error = error_answer(error).body;
      record.has_page = false;
    }
    counters_.add(Counters::Count::jobs, fmt::format("state=\"{}\"", name_of(record.state)));
  } catch (const std::exception&) {  // most likely no memory; what follows asks for none
    record.state = JobState::failed;
    record.error.clear();
  }
  result = {};
  std::shared_ptr<LiveJob> self;  // or it could end with its place in the list
  const std::lock_guard lock(mutex_);
  const std::lock_guard its_lock(job.mutex);
  auto node = live_.extract(job.record.id);
  self = node.mapped();
  if (!stored) unstored_.insert(std::move(node));  // else the store answers from now on
  job.stored = stored;
  job.record.state = record.state;
  job.record.ended = std::time(nullptr);
  job.record.error.swap(record.error);
  job.record.has_page = record.has_page;
  job.task->observer = nullptr;
  job.task->request.reset();
  job.task->bytes = {};
  ++job.version;
  job.changed.notify_all();
}

HttpAnswer Jobs::state(const std::string& id) {
  if (const auto job = live(id)) {
    const std::lock_guard lock(job->mutex);
    return {.body = json_text(job->json(), 1) + "\n"};
  }
  const std::optional<JobRecord> job = ended(id);
  return job ? HttpAnswer{.body = json_text(as_json(*job), 1) + "\n"} : no_such_job();
}

HttpAnswer Jobs::events(const std::string& id) {
  HttpAnswer answer{.type = "text/event-stream"};
  const auto event = [](const char* name, const nlohmann::ordered_json& state) {
    return fmt::format("event: {}\ndata: {}\n\n", name, json_text(state));
  };
  const std::shared_ptr<LiveJob> job = live(id);
  if (!job) {
    const std::optional<JobRecord> known = ended(id);
    if (!known) return no_such_job();
    answer.body = event("end", as_json(*known));
    return answer;
  }
  answer.stream = [this, job, event](const PieceWriter& write) {
    std::uint64_t seen = ~std::uint64_t{0};
    for (;;) {
      std::string text;
      bool last = false;
      {
        std::unique_lock lock(job->mutex);
        job->changed.wait_for(lock, kSignOfLife, [&] { return job->version != seen || stopping_; });
        last = job->record.ended > 0 || stopping_;
        text = job->version == seen && !last ? ": still here\n\n"
                                             : event(last ? "end" : "progress", job->json());
        seen = job->version;
      }
      if (!write(text) || last) return;
      std::this_thread::sleep_for(kBetweenEvents);
    }
  };
  return answer;
}

HttpAnswer Jobs::result(const std::string& id, JobPart part) {
  const auto not_yet = [](const std::string& state) {
    return error_answer(409, "the job has no result: it is " + state);
  };
  if (const auto job = live(id)) {
    const std::lock_guard lock(job->mutex);
    if (job->record.ended == 0 || !job->stored) return not_yet(name_of(job->record.state));
  }
  const std::optional<JobRecord> job = ended(id);
  if (!job) return no_such_job();
  if (job->state != JobState::done) return not_yet(name_of(job->state));
  std::optional<std::string> text = store_.part(id, part);
  if (!text) return error_answer(404, "a job of this kind has no such result");
  return {.body = std::move(*text),
          .type = part == JobPart::tsv ? "text/tab-separated-values; charset=utf-8" : "application/json"};
}

HttpAnswer Jobs::report(const std::string& report_key) {
  forget_old();
  std::optional<std::string> page = store_.page_of(report_key);
  if (!page) return error_answer(404, "no such report, or its time is over");
  // The page has a policy of its own for its script; here it also loses the server's origin.
  return {.body = std::move(*page),
          .type = "text/html; charset=utf-8",
          .headers = {{"Content-Security-Policy", "sandbox allow-scripts allow-downloads"}}};
}

HttpAnswer Jobs::remove(const std::string& id) {
  const auto job = live(id);
  if (job && !job->has_ended()) {
    job->cancelled = true;
    job->lane->give_up(job->task);
    std::unique_lock lock(job->mutex);
    job->changed.wait_for(lock, kPatienceWithCancel, [&] { return job->record.ended > 0; });
    return {.body = json_text(job->json(), 1) + "\n"};
  }
  const std::optional<JobRecord> known = ended(id);
  if (!known) return no_such_job();
  store_.remove(id);
  const std::lock_guard lock(mutex_);
  unstored_.erase(id);
  return {.body = json_text(as_json(*known), 1) + "\n"};
}

void Jobs::stop() {
  stopping_ = true;
  const std::lock_guard lock(mutex_);
  for (const auto& [id, job] : live_) {
    const std::lock_guard its_lock(job->mutex);  // or it could miss the call between its look and its wait
    job->changed.notify_all();
  }
}

}  // namespace markeval::serve
