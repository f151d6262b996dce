// Calls to std::filesystem with an error code; errors count as "not there". Names in a folder by readdir().
#include "base/paths.hpp"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <new>
#include <string_view>

#include "base/error.hpp"

namespace markeval {

namespace fs = std::filesystem;

namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

}  // namespace

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
  // A directory_iterator ends the program where there is no memory.
  const std::unique_ptr<DIR, CloseFolder> opened(::opendir(folder.c_str()));
  if (!opened && errno == ENOMEM) throw std::bad_alloc();
  if (!opened) throw_io(folder, "read");
  std::vector<std::string> names;
  for (errno = 0; const dirent* const entry = ::readdir(opened.get()); errno = 0) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) throw_io(folder, "read");
  std::sort(names.begin(), names.end());
  return names;
}

std::string full_path(const std::string& path) {
  std::error_code failed;
  const fs::path full = fs::absolute(path, failed);
  return failed ? path : full.string();
}

}  // namespace markeval
