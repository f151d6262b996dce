// One training at a time in a folder. The lock is the kernel's (flock): it ends with the process, however
// that ends, so a lock file left behind by a killed training stops nobody.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/descriptor.hpp"

namespace markeval::trained {

class FolderLock {
 public:
  /// Makes the folder where there is none and holds it until destroyed. Throws Error(usage) where another
  /// training holds it, and Error(io).
  explicit FolderLock(const std::string& folder);
  /// Removes the lock file, and the folders it made as far as they are empty still.
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  bool try_lock();
  void remove_made();

  std::string folder_, path_;
  std::vector<std::filesystem::path> made_;  ///< the innermost first
  Descriptor descriptor_;
};

}  // namespace markeval::trained
