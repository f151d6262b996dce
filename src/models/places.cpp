#include "models/places.hpp"

#include <cstdlib>
#include <string_view>

namespace markeval::models {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

}  // namespace

std::string default_cache_folder() {
  if (const auto told = environment("MARKEVAL_CACHE"); !told.empty()) return std::string(told);
  if (const auto cache = environment("XDG_CACHE_HOME"); !cache.empty())
    return std::string(cache) + "/markeval";
  if (const auto home = environment("HOME"); !home.empty()) return std::string(home) + "/.cache/markeval";
  return "none";
}

std::vector<std::string> model_folders() {
  std::vector<std::string> folders;
  if (const auto told = environment("MARKEVAL_MODELS"); !told.empty()) {
    folders.emplace_back(told);
  } else if (const auto data = environment("XDG_DATA_HOME"); !data.empty()) {
    folders.push_back(std::string(data) + "/markeval/models");
  } else if (const auto home = environment("HOME"); !home.empty()) {
    folders.push_back(std::string(home) + "/.local/share/markeval/models");
  }
  folders.emplace_back("models");
  return folders;
}

}  // namespace markeval::models
