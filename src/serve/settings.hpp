// What `markeval serve` can be told, written down once: the command line makes options of the fields, and
// /info shows every limit among them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/markeval.hpp"
#include "request/fields.hpp"

namespace markeval::serve {

using request::Field;

struct ServeSettings {
  std::string host = "127.0.0.1";
  std::uint64_t port = 8080;  ///< 0: any that is free
  std::string model{};        ///< for requests that name none; empty: the library's default
  Settings compute{};
  std::string cache = "none";
  bool preload = false;
  std::string token_file{};  ///< empty: $MARKEVAL_TOKEN; where that is not set either, no token is asked for
  bool no_token = false;     ///< also where other machines reach the server
  std::vector<std::string> hosts{};
  std::vector<std::string> origins{};
  std::string jobs{};  ///< SQLite file; empty: jobs are kept in memory and end with the server

  std::uint64_t max_connections = 256;
  std::uint64_t max_head_kib = 16;
  std::uint64_t max_body_mib = 64;
  std::uint64_t max_waiting_mib = 256;
  std::uint64_t max_texts = 100'000;
  std::uint64_t max_systems = 1000;
  std::uint64_t max_scores = 5'000'000;
  std::uint64_t max_queue = 64;
  std::uint64_t max_receive_seconds = 30;
  std::uint64_t max_seconds = 60;
  std::uint64_t max_small_kib = 32;
  std::uint64_t max_together = 16;
  std::uint64_t max_jobs = 1000;
  std::uint64_t max_job_hours = 24;
  std::uint64_t max_results_mib = 1024;
  std::uint64_t max_models_mib = 4096;
  std::uint64_t max_stop_seconds = 10;
};

/// In the order of the help text. Their addresses are those of `settings`, which must live as long.
std::vector<Field> fields_of(ServeSettings& settings);

/// Those whose name begins with "max_": what a client may meet.
std::vector<Field> limits_of(ServeSettings& settings);

/// Only this machine can reach such a host: 127.*, ::1, localhost.
bool is_loopback(const std::string& host);

}  // namespace markeval::serve
