// What the commands that score take: `score` and `compare`.
#pragma once

#include <string>
#include <vector>

#include "api/markeval.hpp"
#include "cli/request_options.hpp"

namespace markeval::cli {

struct ScoreOptions : CommonOptions {
  ScoreRequest request;
  Settings settings;
  std::vector<std::string> references;
  std::vector<std::string> systems;
  std::string explain;
  std::string report;
};

/// All but --explain, --report and what CommonOptions has.
std::vector<Field> score_fields(ScoreOptions& options);

/// Puts the inputs into the request. Throws Error(usage) for what is missing.
void complete_request(ScoreOptions& options);
/// Before any work: what --report, --explain and -o name can be written and is no input.
void check_files(const ScoreOptions& options);

}  // namespace markeval::cli
