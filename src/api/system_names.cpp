#include "api/system_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"

namespace markeval {
namespace {

/// Of FILE:COLUMN, or nothing.
std::string column_of(const std::string& path) {
  const std::size_t colon = path.rfind(':');
  if (colon == std::string::npos || std::filesystem::exists(path)) return "";
  return path.substr(colon + 1);
}

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
    names.push_back(!input.name.empty() ? input.name
                    : path != nullptr   ? stem(*path)
                                        : "system" + std::to_string(names.size() + 1));
  }
  // Columns of one file have but the columns to be told apart by.
  const std::vector<std::string> by_file = names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto* path = std::get_if<std::string>(&request.systems[i].source);
    if (path == nullptr || !request.systems[i].name.empty() || column_of(*path).empty()) continue;
    if (std::count(by_file.begin(), by_file.end(), by_file[i]) > 1) names[i] = column_of(*path);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::find(names.begin() + static_cast<std::ptrdiff_t>(i) + 1, names.end(), names[i]) != names.end())
      throw_usage(fmt::format("two systems are named '{}'; give each its own name", names[i]));
  }
  return names;
}

}  // namespace markeval
