// The command line understood: CLI11 splits it, this file adds the words a person who mistyped needs.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "base/encoder_options.hpp"

namespace markeval::cli {

/// What every command takes.
struct CommonOptions {
  std::string format = "text";
  std::string output;  ///< empty: standard output
  bool quiet = false;
};

/// What every command takes that turns texts into vectors, as words.
struct EncoderWords {
  std::string model = "all-MiniLM-L6-v2";
  std::string precision = "f32";
  std::string max_length;
  std::string long_text = "truncate";
  std::string cache;
};

void add_encoder_options(CLI::App& command, EncoderWords& words);

/// Checks the words.
EncoderOptions parse_encoder_options(const EncoderWords& words);

/// For the commands whose result has a page.
void add_report_option(CLI::App& command, std::string& file);

void add_common_options(CLI::App& command, CommonOptions& options, const std::vector<std::string>& formats);

/// Throws Error(usage) naming the closest right word for a first word that is no command of `app`.
/// Keeps the words for command_words().
void require_known_command(const CLI::App& app, int argc, const char* const* argv);

/// The command line as it was given, for a page to say how it is remade: "markeval", "score", ...
const std::vector<std::string>& command_words();

/// What a person who stopped the command should know: of `train` "; the same words with --resume go on".
std::string how_to_go_on();

/// Throws Error(usage) for what `command` could not make sense of, naming the closest of its options.
void require_no_leftovers(const CLI::App& command);

/// Throws Error(usage): "--threads 'x', expected a whole number from 1 to 4096".
std::uint64_t parse_number(const std::string& option, const std::string& text, std::uint64_t minimum,
                           std::uint64_t maximum);

/// Throws Error(usage): "--format 'jsno'; did you mean 'json'?".
void require_choice(const std::string& option, const std::string& value,
                    const std::vector<std::string>& choices);

}  // namespace markeval::cli
