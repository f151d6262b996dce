#include "embed/places.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "cache/vector_cache.hpp"

namespace markeval::embed {
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

std::uint64_t default_cache_bytes() {
  const std::string_view told = environment("MARKEVAL_CACHE_SIZE");
  if (told.empty()) return cache::VectorCache::kDefaultMaxBytes;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(told.data(), told.data() + told.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(told.data() + told.size() - end));
  int shift = -1;
  if (unit.empty()) shift = 0;
  if (unit == "M" || unit == "m") shift = 20;
  if (unit == "G" || unit == "g") shift = 30;
  if (error != std::errc() || shift < 0 || number > (std::uint64_t{1} << 44 >> shift)) {
    throw_usage("MARKEVAL_CACHE_SIZE is '" + std::string(told) +
                "', expected bytes or a number with M or G, as 8G");
  }
  return number << shift;
}

}  // namespace markeval::embed
