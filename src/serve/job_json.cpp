// The state of a job, built so that nothing of it asks for memory where it dies.
#include "serve/job_json.hpp"

#include <fmt/format.h>

#include <string>

#include "base/json_reader.hpp"
#include "base/json_text.hpp"

namespace markeval::serve {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// The result of a job for whose end no memory was left.
const std::string kEndedWithoutMemory =
    R"({"error":"no memory was left at the end of this job","type":"unavailable","hint":"POST the job again."})";

}  // namespace

OrderedDocument as_json(const JobRecord& job) {
  OrderedDocument document = ordered_object(10);
  OrderedJson& out = *document;
  out["id"] = job.id;
  out["kind"] = job.kind;
  out["state"] = name_of(job.state);
  out["created"] = job.created;
  if (job.ended > 0) out["ended"] = job.ended;
  if (!job.error.empty() || job.state == JobState::failed) {
    const JsonDocument error = parse_json(job.error.empty() ? kEndedWithoutMemory : job.error, "the error");
    OrderedDocument told = ordered_object(3);
    for (const char* field : {"error", "type", "hint"}) (*told)[field] = text_in(*error, field);
    out["error"] = std::move(*told);
  }
  out["events"] = fmt::format("/v1/jobs/{}/events", job.id);
  if (job.state != JobState::done) return document;
  out["result"] = fmt::format("/v1/jobs/{}/result", job.id);
  if (job.kind == "embeddings") return document;
  out["table"] = fmt::format("/v1/jobs/{}/table", job.id);
  if (job.has_page) out["report"] = fmt::format("/reports/{}", job.report_key);
  return document;
}

std::string dump(const OrderedDocument& document, int indent) {
  return json_text(*document, indent);
}

bool is_worth_a_retry(const JobRecord& job) {
  if (job.state != JobState::failed) return false;
  if (job.error.empty()) return true;
  const std::string type = text_in(*parse_json(job.error, "the error"), "type");
  return type == "stopped" || type == "internal" || type == "unavailable";
}

}  // namespace markeval::serve
