// What the commands that score take: `score` and `compare`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "api/markeval.hpp"
#include "cli/arguments.hpp"

namespace markeval::cli {

struct ScoreOptions : CommonOptions {
  std::vector<std::string> references;
  std::vector<std::string> systems;
  std::vector<std::string> metrics;
  std::string threads;
  std::string seed = "12345";
  std::string device = "cpu";
  std::string compat = "none";
  std::string explain;
  std::string report;
  std::string ci;
  EncoderWords encoder;
  bool clamp_k = false;
  bool segments = false;
  bool replace_invalid = false;
};

/// All but --explain, --report, --ci and --segments, which are `score`'s own.
void add_input_options(CLI::App& app, ScoreOptions& given);

/// Throws Error(usage) for what is missing and for values that are none.
ScoreRequest score_request(const ScoreOptions& options);
/// Before any work: what --report, --explain and -o name can be written and is no input.
void check_files(const ScoreOptions& options, const ScoreRequest& request);
Settings evaluator_settings(const ScoreOptions& options);

}  // namespace markeval::cli
