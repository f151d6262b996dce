// The small files of a folder as they were at one moment. All that is read of a model's settings is read
// here, so configuration, tokenizer and hash speak of one state, and nothing that was read is missing in the
// hash.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/open_file.hpp"

namespace markeval {

/// Whether there is a file of this name. Throws Error(io) for a link that leads nowhere: another file must
/// not take its place unseen.
bool is_there(const std::string& path);

class FolderFiles {
 public:
  /// Reads those of the files `names` that are there. Throws Error(io) where there is no such folder or a
  /// file cannot be read, Error(invalid_input) where one is beyond the limit of a JSON document.
  FolderFiles(const std::string& folder, std::span<const std::string_view> names);

  const std::string& folder() const { return folder_; }
  /// "FOLDER/config.json", for messages.
  std::string path(std::string_view name) const;
  /// Its bytes, or null where there is none. `name` must be one of those asked for.
  const std::string* find(std::string_view name) const;
  /// Its bytes. Throws Error(io) where there is none.
  const std::string& get(std::string_view name) const;
  /// Whether the folder still holds the same files and no more of these names.
  bool is_current() const;

  struct File {
    FileIdentity identity;
    std::string bytes;
  };
  /// Nothing: there was no such file.
  const std::map<std::string, std::optional<File>, std::less<>>& files() const { return files_; }

 private:
  std::string folder_;
  std::map<std::string, std::optional<File>, std::less<>> files_;
};

}  // namespace markeval
