// Long work that nobody waits for at a connection: it is taken, told about while it runs, and its result is
// kept for a time. A job is reported done only after its result is on the disk.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "serve/body_reader.hpp"
#include "serve/counters.hpp"
#include "serve/http.hpp"
#include "serve/job_store.hpp"
#include "serve/lanes.hpp"
#include "serve/settings.hpp"

namespace markeval::serve {

class Jobs {
 public:
  /// The references must outlive it. Throws Error(io) where the file of jobs cannot be used.
  Jobs(const ServeSettings& settings, Lanes& lanes, Counters& counters, const BodyReader& bodies);
  ~Jobs();

  /// 202 and Location. A second request with the same Idempotency-Key and body gets the same job.
  HttpAnswer post(HttpRequest& request);
  /// Its state, once it is asked for.
  HttpAnswer state(const std::string& id);
  /// Server-sent events: "progress" with the state whenever it changes, "end" at the end.
  HttpAnswer events(const std::string& id);
  /// The result: JSON or TSV. 409 while there is none.
  HttpAnswer result(const std::string& id, JobPart part);
  HttpAnswer report(const std::string& report_key);
  /// Stops it where it runs, else forgets it.
  HttpAnswer remove(const std::string& id);

  /// Streams of events end.
  void stop();

 private:
  struct LiveJob;
  std::shared_ptr<LiveJob> live(const std::string& id);
  std::optional<JobRecord> ended(const std::string& id);
  void prepare(const std::shared_ptr<LiveJob>& job);
  void start(const std::shared_ptr<LiveJob>& job);
  void end(LiveJob& job, WorkResult result, const std::exception_ptr& failure);
  void forget_old();
  std::shared_ptr<LiveJob> read(HttpRequest& request) const;
  /// Tries once more to write down jobs that ended on a full disk.
  void store_again();

  const ServeSettings& settings_;
  Lanes& lanes_;
  Counters& counters_;
  const BodyReader& bodies_;
  JobStore store_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<LiveJob>> live_;      ///< that wait or run
  std::map<std::string, std::shared_ptr<LiveJob>> unstored_;  ///< ended, but not in the store
  std::atomic<bool> stopping_{false};
};

}  // namespace markeval::serve
