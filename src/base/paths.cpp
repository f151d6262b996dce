// Calls to std::filesystem with an error code; errors count as "not there".
#include "base/paths.hpp"

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"

namespace markeval {

namespace fs = std::filesystem;

bool path_exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_ordinary_file(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

void remove_file(const std::string& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed))
    names.push_back(entry->path().filename().string());
  if (failed) throw_io(folder, "read", failed.value());
  std::sort(names.begin(), names.end());
  return names;
}

std::string full_path(const std::string& path) {
  std::error_code failed;
  const fs::path full = fs::absolute(path, failed);
  return failed ? path : full.string();
}

}  // namespace markeval
