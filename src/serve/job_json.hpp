// What a client is told of a job.
#pragma once

#include <string>

#include "base/ordered_document.hpp"
#include "serve/job_store.hpp"

namespace markeval::serve {

OrderedDocument as_json(const JobRecord& job);

/// Without `indent` on one line.
std::string dump(const OrderedDocument& document, int indent = -1);

/// Whether the same request may well succeed: the server was stopped, or its disk was full.
bool is_worth_a_retry(const JobRecord& job);

}  // namespace markeval::serve
