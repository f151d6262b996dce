// The list of fields, and the test for loopback addresses.
#include "serve/settings.hpp"

namespace markeval::serve {

std::vector<Field> fields_of(ServeSettings& settings) {
  std::vector<Field> fields{
      Field{"host", &settings.host, "ADDRESS", "Address to listen at (127.0.0.1: this machine only)"},
      Field{"port", &settings.port, "N", "Port to listen at; 0: any that is free (8080)"}.between(0, 65535),
      Field{"model", &settings.model, "NAME|FOLDER", "Model of requests that name none (all-MiniLM-L6-v2)"}};
  for (const Field& field : markeval::fields_of(settings.compute)) fields.push_back(field);
  const std::vector<Field> more{
      Field{"cache", &settings.cache, "DIR|none", "Where vectors are kept (none)"}.naming_a_file(),
      Field{"preload", &settings.preload, "", "Load the model before the server is ready"},
      Field{"token_file", &settings.token_file, "FILE",
            "Clients must send the token in this file ($MARKEVAL_TOKEN)"}
          .naming_a_file(),
      Field{"no_token", &settings.no_token, "", "Let all who reach the address use the server"},
      Field{"hosts", &settings.hosts, "NAME", "Without a token: also answer requests for these host names"}
          .as("--allow-host"),
      Field{"origins", &settings.origins, "ORIGIN", "Let pages of these origins use the server"}.as(
          "--allow-origin"),
      Field{"jobs", &settings.jobs, "FILE", "Keep jobs in this SQLite file (in memory)"}.naming_a_file(),
      Field{"max_connections", &settings.max_connections, "N", "Open connections (256)"}.between(1, 900),
      Field{"max_head_kib", &settings.max_head_kib, "N", "KiB of the head of a request (16)"}.between(1,
                                                                                                      1024),
      Field{"max_body_mib", &settings.max_body_mib, "N", "MiB of the body of a request (64)"}.between(1,
                                                                                                      4096),
      Field{"max_waiting_mib", &settings.max_waiting_mib, "N",
            "MiB of all requests and jobs that arrive, wait or run (256)"}
          .between(1, 1'000'000),
      Field{"max_texts", &settings.max_texts, "N", "Texts of a request (100000)"}.between(1, 1'000'000'000),
      Field{"max_systems", &settings.max_systems, "N", "Systems of a request (1000)"}.between(1, 100'000),
      Field{"max_scores", &settings.max_scores, "N",
            "Scores in an answer: of systems, pairs of systems, groups and segments (5000000)"}
          .between(1, 1'000'000'000),
      Field{"max_queue", &settings.max_queue, "N", "Requests that wait in a queue (64)"}.between(1, 100'000),
      Field{"max_receive_seconds", &settings.max_receive_seconds, "N",
            "Seconds until a request has arrived, head and body each (30)"}
          .between(1, 3600),
      Field{"max_seconds", &settings.max_seconds, "N", "Seconds a request may take; a job has no limit (60)"}
          .between(1, 86'400),
      Field{"max_small_kib", &settings.max_small_kib, "N",
            "KiB of a request that need not wait behind larger ones (32)"}
          .between(1, 1'000'000),
      Field{"max_together", &settings.max_together, "N",
            "Small requests that run at the same time and share the batches of an encoder (16)"}
          .between(1, 256),
      Field{"max_jobs", &settings.max_jobs, "N", "Jobs that wait or run (1000)"}.between(1, 1'000'000),
      Field{"max_job_hours", &settings.max_job_hours, "N", "Hours the result of a job is kept (24)"}.between(
          1, 100'000),
      Field{"max_results_mib", &settings.max_results_mib, "N",
            "MiB of results of jobs; beyond, no job is taken until some are deleted (1024)"}
          .between(1, 1'000'000),
      Field{"max_models_mib", &settings.max_models_mib, "N",
            "MiB of weights kept in memory; beyond, the model used longest ago is dropped (4096)"}
          .between(1, 100'000'000),
      Field{"max_stop_seconds", &settings.max_stop_seconds, "N",
            "Seconds that requests get to end when the server is stopped (10)"}
          .between(0, 3600)};
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

std::vector<Field> limits_of(ServeSettings& settings) {
  std::vector<Field> fields = fields_of(settings);
  std::erase_if(fields, [](const Field& field) { return !field.name.starts_with("max_"); });
  return fields;
}

bool is_loopback(const std::string& host) {
  const bool digits = host.find_first_not_of("0123456789.") == std::string::npos;  // not 127.evil.example
  return host == "localhost" || host == "::1" || host == "[::1]" || (host.starts_with("127.") && digits);
}

}  // namespace markeval::serve
