// One file per command. Each adds itself to the program and runs when it is chosen; what goes wrong is
// thrown.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
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

struct Command {
  std::string_view name;
  void (*add)(CLI::App&);
};

/// In the order the help lists them.
inline constexpr Command kCommands[] = {
    {"score", add_score_command},           {"embed", add_embed_command},
    {"compare", add_compare_command},       {"correlate", add_correlate_command},
    {"experiment", add_experiment_command}, {"align", add_align_command},
    {"train", add_train_command},           {"serve", add_serve_command},
    {"model", add_model_command},           {"metrics", add_metrics_command},
    {"baseline", add_baseline_command},     {"limits", add_limits_command},
    {"sacrebleu", add_sacrebleu_command},
};

}  // namespace markeval::cli
