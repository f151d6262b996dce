#include "api/system_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"

namespace markeval {
namespace {

std::string stem(std::string path) {
  if (path == "-") return "stdin";
  if (!std::filesystem::exists(path)) path = path.substr(0, path.rfind(':'));  // FILE:COLUMN
  std::filesystem::path name = std::filesystem::path(path).filename();
  if (name.extension() == ".gz") name = name.stem();
  return name.stem().string();
}

}  // namespace

std::vector<std::string> system_names(const ScoreRequest& request) {
  std::vector<std::string> names;
  for (const Input& input : request.systems) {
    const auto* path = std::get_if<std::string>(&input.source);
    std::string name = !input.name.empty() ? input.name
                       : path != nullptr   ? stem(*path)
                                           : "system" + std::to_string(names.size() + 1);
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      throw_usage(fmt::format("two systems are named '{}'; give each its own name", name));
    }
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace markeval
