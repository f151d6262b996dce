// Which weights are these? The sha256 that signatures and cache keys name a model by. It is that of the bytes
// of open files, those an encoder is loaded from. Reading 90 MB takes a tenth of a second and more, so a hash
// is noted under the cache folder, by the identity of the file. Nothing is ever written beside the weights.
#pragma once

#include <optional>
#include <string>

#include "base/open_file.hpp"
#include "encoder/weight_files.hpp"

namespace markeval::models {

/// Hashes that have been computed before, one small file each: FOLDER/model-hashes/NAME.
class HashNotes {
 public:
  /// "none": nothing is kept.
  explicit HashNotes(std::string folder) : folder_(std::move(folder)) {}

  std::optional<std::string> find(const FileIdentity& identity) const;
  /// Does nothing where the folder cannot be written.
  void keep(const FileIdentity& identity, const std::string& hash) const;
  std::string path(const FileIdentity& identity) const;

 private:
  std::string folder_;
};

/// One file: its sha256. Shards: the sha256 of their sha256s, written as hex digits one after the other.
/// Without notes it is made of the bytes, always.
std::string weight_hash(const encoder::WeightFiles& weights, const HashNotes& notes = HashNotes("none"));

}  // namespace markeval::models
