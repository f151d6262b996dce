// A name is the one given, the column, or the file name without its endings; equal names are an error.
#include "request/system_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "text/corpus.hpp"

namespace markeval::request {
namespace {

std::string stem(const std::string& path) {
  if (path == "-") return "stdin";
  std::filesystem::path name = std::filesystem::path(text::InputSpec::split(path).path).filename();
  if (name.extension() == ".gz") name = name.stem();
  return name.stem().string();
}

}  // namespace

std::vector<std::string> system_names(const ScoreRequest& request) {
  std::vector<std::string> names;
  for (const Input& input : request.systems) {
    const auto* path = std::get_if<std::string>(&input.source);
    const std::string column = path == nullptr ? "" : text::InputSpec::split(*path).column;
    names.push_back(!input.name.empty() ? input.name
                    : !column.empty()   ? column
                    : path != nullptr   ? stem(*path)
                                        : "system" + std::to_string(names.size() + 1));
  }
  // The same column of several files: the files tell them apart.
  const std::vector<std::string> by_column = names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto* path = std::get_if<std::string>(&request.systems[i].source);
    if (path == nullptr || !request.systems[i].name.empty()) continue;
    if (std::ranges::count(by_column, by_column[i]) > 1) names[i] = stem(*path);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::find(names.begin() + static_cast<std::ptrdiff_t>(i) + 1, names.end(), names[i]) != names.end())
      throw_usage(fmt::format("two systems are named '{}'; give each its own name", names[i]));
  }
  return names;
}

}  // namespace markeval::request
