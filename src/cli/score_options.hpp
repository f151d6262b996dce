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
  std::vector<std::string> files;  ///< without an option before them: the reference, then systems
  std::vector<std::string> references;
  std::vector<std::string> systems;
  std::vector<std::string> metrics;  ///< as they were typed: files may stand among them
  std::string preset;
  TextOptions text;
  std::string explain;
  std::string report;
};

/// All but --explain and --report.
std::vector<Field> score_fields(ScoreOptions& options);

/// Puts inputs and metrics into the request. Says which metrics were taken where none was given. Throws
/// Error(usage) for what is missing.
void complete_request(ScoreOptions& options, Observer& observer);
/// Before any work: what --report, --explain and -o name can be written and is no input.
void check_files(const ScoreOptions& options);

}  // namespace markeval::cli
