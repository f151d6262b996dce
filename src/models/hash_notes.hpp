// Hashes of files that have been computed before, one small file each: FOLDER/model-hashes/NAME. Reading 90
// MB takes a tenth of a second and more. Nothing is ever written beside the weights.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/open_file.hpp"

namespace markeval::models {

class HashNotes {
 public:
  /// "none": nothing is kept.
  explicit HashNotes(std::string folder) : folder_(std::move(folder)) {}

  /// Nothing where there is no note, it is no ordinary file (a link or a pipe, say), or its checksum is
  /// wrong.
  std::optional<std::string> find(const FileIdentity& identity) const;
  /// Does nothing where the folder cannot be written or is a link. A link in place of the note is replaced,
  /// not followed.
  void keep(const FileIdentity& identity, const std::string& hash) const;
  std::string path(const FileIdentity& identity) const;

 private:
  std::string notes_folder() const;
  std::string folder_;
};

}  // namespace markeval::models
