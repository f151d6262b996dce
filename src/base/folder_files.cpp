// Reading of all named files at once, and the check that none of them has changed since.
#include "base/folder_files.hpp"

#include <fmt/format.h>

#include <cassert>
#include <cerrno>
#include <filesystem>

#include "base/error.hpp"
#include "base/limits.hpp"

namespace markeval {

bool is_there(const std::string& path) {
  std::error_code failed;
  if (std::filesystem::exists(path, failed)) return true;
  if (std::filesystem::is_symlink(path, failed))
    throw Error(ErrorCode::io, path + ": a link that leads nowhere, expected a file");
  return false;
}

FolderFiles::FolderFiles(const std::string& folder, std::span<const std::string_view> names)
    : folder_(folder) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored))
    throw Error(ErrorCode::io, folder + ": no such folder, expected a model");
  for (const std::string_view name : names) {
    std::optional<File>& file = files_[std::string(name)];
    if (!is_there(path(name))) continue;
    const OpenFile open(path(name));
    if (open.size() > limit_of(Limit::json_bytes))
      throw_beyond(Limit::json_bytes, fmt::format("{}: {} bytes", path(name), open.size()));
    file = File{open.identity(), open.read_all(open.size())};
  }
}

std::string FolderFiles::path(std::string_view name) const {
  return (std::filesystem::path(folder_) / name).string();
}

const std::string* FolderFiles::find(std::string_view name) const {
  const auto found = files_.find(name);
  assert(found != files_.end());
  return found != files_.end() && found->second ? &found->second->bytes : nullptr;
}

const std::string& FolderFiles::get(std::string_view name) const {
  const std::string* const bytes = find(name);
  if (bytes == nullptr) throw_io(path(name), "open", ENOENT);
  return *bytes;
}

bool FolderFiles::is_current() const {
  for (const auto& [name, file] : files_) {
    const std::optional<FileIdentity> now = identity_of(path(name));
    if (now.has_value() != file.has_value() || (now && *now != file->identity)) return false;
  }
  return true;
}

}  // namespace markeval
