// One file per command. Each adds itself to the program and runs when it is chosen; what goes wrong is
// thrown.
#pragma once

#include <CLI/CLI.hpp>

namespace markeval::cli {

void add_score_command(CLI::App& app);
void add_embed_command(CLI::App& app);
void add_correlate_command(CLI::App& app);
void add_experiment_command(CLI::App& app);
void add_model_command(CLI::App& app);
void add_metrics_command(CLI::App& app);
void add_baseline_command(CLI::App& app);

}  // namespace markeval::cli
