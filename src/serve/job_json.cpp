// The state of a job as JSON.
#include "serve/job_json.hpp"

#include <fmt/format.h>

#include <string>

#include "base/json_reader.hpp"

namespace markeval::serve {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// The result of a job for whose end no memory was left.
const std::string kEndedWithoutMemory =
    R"({"error":"no memory was left at the end of this job","type":"unavailable","hint":"POST the job again."})";

}  // namespace

OrderedJson as_json(const JobRecord& job) {
  OrderedJson out = OrderedJson::object();
  out["id"] = job.id;
  out["kind"] = job.kind;
  out["state"] = name_of(job.state);
  out["created"] = job.created;
  if (job.ended > 0) out["ended"] = job.ended;
  if (!job.error.empty() || job.state == JobState::failed) {
    const nlohmann::json error = parse_json(job.error.empty() ? kEndedWithoutMemory : job.error, "the error");
    OrderedJson& told = out["error"] = OrderedJson::object();
    for (const char* field : {"error", "type", "hint"}) told[field] = text_in(error, field);
  }
  out["events"] = fmt::format("/v1/jobs/{}/events", job.id);
  if (job.state != JobState::done) return out;
  out["result"] = fmt::format("/v1/jobs/{}/result", job.id);
  if (job.kind == "embeddings") return out;
  out["table"] = fmt::format("/v1/jobs/{}/table", job.id);
  if (job.has_page) out["report"] = fmt::format("/reports/{}", job.report_key);
  return out;
}

bool is_worth_a_retry(const JobRecord& job) {
  if (job.state != JobState::failed) return false;
  if (job.error.empty()) return true;
  const std::string type = text_in(parse_json(job.error, "the error"), "type");
  return type == "stopped" || type == "internal" || type == "unavailable";
}

}  // namespace markeval::serve
