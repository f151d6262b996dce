// What a client is told of a job.
#pragma once

#include <string>

#include "base/json.hpp"
#include "serve/job_store.hpp"

namespace markeval::serve {

nlohmann::ordered_json as_json(const JobRecord& job);

/// Whether the same request may well succeed: the server was stopped, or its disk was full.
bool is_worth_a_retry(const JobRecord& job);

}  // namespace markeval::serve
