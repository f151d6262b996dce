// The command line understood: CLI11 splits it, this file adds the words a person who mistyped needs.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace markeval::cli {

/// Adds the command that the first word names: the options of all would be a tenth of the start. Where the
/// word names none all are added, for a help or a suggestion.
void add_commands(CLI::App& app, std::string_view first_word);

/// Throws Error(usage) naming the closest right word for a first word that is no command of `app`.
/// Keeps the words for command_words().
void require_known_command(const CLI::App& app, int argc, const char* const* argv);

/// Writes the help of every command.
std::shared_ptr<CLI::Formatter> help_formatter();

/// `markeval help me` is about the metric.
bool is_metric(const std::string& word);

/// Throws Error(usage) for a file among metrics: -m takes all words that follow.
void refuse_files_among_metrics(const std::vector<std::string>& metrics);

/// The command line as it was given, for a page to say how it is remade: "markeval", "score", ...
const std::vector<std::string>& command_words();

/// What a person who stopped the command should know: of `train` "; the same words with --resume go on".
std::string how_to_go_on();

/// Throws Error(usage) for an option of another program: "unknown option '-sl': scores of single texts are
/// --segments".
void refuse_habit(const std::string& word);

/// Throws Error(usage) for what `command` could not make sense of, naming the closest of its options.
void require_no_leftovers(const CLI::App& command);

}  // namespace markeval::cli
