// The metrics people take for a task, by a name: for `--preset`, the server and its page.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace markeval {

struct Preset {
  std::string_view name;
  std::string_view task;  ///< one line for a person who chooses
  std::vector<std::string> metrics;
};

std::span<const Preset> presets();

/// The metrics of a preset for a model, a name or a folder (empty: the default). `match` has heads for few
/// models: for the others `bertscore` stands in its place. Throws Error(usage) for a name that no preset has.
std::vector<std::string> preset_metrics(std::string_view name, std::string_view model);

}  // namespace markeval
