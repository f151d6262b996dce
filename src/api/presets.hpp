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

}  // namespace markeval
