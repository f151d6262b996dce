// Jobs on the disk: an SQLite file in WAL mode, of one server at a time. What was written is there after a
// crash or a power cut.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace markeval::serve {

enum class JobState { waiting, running, done, failed, cancelled };
std::string name_of(JobState state);

struct JobRecord {
  std::string id;
  std::string kind;  ///< "score", ...
  JobState state = JobState::waiting;
  std::int64_t created = 0, ended = 0;  ///< seconds since 1970; ended 0: not yet
  std::string error{};                  ///< JSON of an error answer, of a job that failed
  std::string report_key{};             ///< names the page of its report
  std::string idempotency_key{};        ///< of the client; empty: none
  std::string body_digest{};            ///< of the request
  bool has_page = false;                ///< whether a finished job has a page
};

/// What a finished job has, each by itself: they may be large.
enum class JobPart { json, tsv, page };

class JobStore {
 public:
  /// `path` empty: in memory. Jobs that had not ended when the file was last used are failed from now on.
  /// Throws Error(io) where the file cannot be used, or another server uses it.
  explicit JobStore(const std::string& path);
  ~JobStore();
  JobStore(const JobStore&) = delete;
  JobStore& operator=(const JobStore&) = delete;

  // All throw Error(io) where the disk says no.
  void add(const JobRecord& job);
  /// In one step: the state, and what was made.
  void end(const JobRecord& job, const std::string& json, const std::string& tsv, const std::string& page);
  std::optional<JobRecord> find(const std::string& id);
  std::optional<JobRecord> find_by_idempotency_key(const std::string& key);
  /// Absent where there is no such job, or it has no such part. Throws Error(io) where its checksum is wrong.
  std::optional<std::string> part(const std::string& id, JobPart part);
  std::optional<std::string> page_of(const std::string& report_key);
  /// All jobs together.
  std::uint64_t bytes();
  /// Another job may have the key from now on.
  void free_idempotency_key(const std::string& key);
  void remove(const std::string& id);
  /// Those that ended before this moment.
  void remove_older_than(std::int64_t moment);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace markeval::serve
