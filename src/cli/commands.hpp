// One file per command. Each adds itself to the program and runs when it is chosen; what goes wrong is
// thrown.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace markeval::cli {

void add_score_command(CLI::App& app);
void add_compare_command(CLI::App& app);
void add_embed_command(CLI::App& app);
void add_correlate_command(CLI::App& app);
void add_experiment_command(CLI::App& app);
void add_align_command(CLI::App& app);
void add_train_command(CLI::App& app);
void add_model_command(CLI::App& app);
void add_metrics_command(CLI::App& app);
void add_baseline_command(CLI::App& app);
void add_limits_command(CLI::App& app);
void add_serve_command(CLI::App& app);
void add_sacrebleu_command(CLI::App& app);

/// sacrebleu has short options of several letters: -lc is --lowercase.
std::vector<std::string> sacrebleu_words(std::vector<std::string> words);

/// In the order the help lists them.
inline constexpr void (*kCommands[])(CLI::App&) = {
    add_score_command,      add_embed_command,   add_compare_command,  add_correlate_command,
    add_experiment_command, add_align_command,   add_train_command,    add_serve_command,
    add_model_command,      add_metrics_command, add_baseline_command, add_limits_command,
    add_sacrebleu_command,
};

}  // namespace markeval::cli
