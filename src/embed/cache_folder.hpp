// Where the cache's file lives, and what happens to a file that cannot be trusted.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "embed/cache_database.hpp"

namespace markeval::embed {

/// The folder that holds the file and its lock, so that both can be moved aside in one step.
class CacheFolder {
 public:
  /// Opens FOLDER/vectors, makes it where it is missing. A file that cannot be trusted is moved to
  /// FOLDER/vectors.damaged, a new one made, and `note` says so. On failure `note` says why.
  static int open(const std::string& folder, std::uint64_t max_bytes, std::shared_ptr<CacheDatabase>& out,
                  std::string& note);
  /// Moves aside the file `damaged` holds, unless somebody already did. It stays usable for those who have it
  /// open.
  static bool move_aside(const std::string& folder, const CacheDatabase& damaged);
  /// Gives the database back; the last one closes it.
  static void release(std::shared_ptr<CacheDatabase>& database);
};

}  // namespace markeval::embed
