// All that changes a vector besides its text, as the prefix of the keys it is cached under.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cache/record.hpp"

namespace markeval::embed {

class CacheContext {
 public:
  using Setting = std::pair<std::string, std::string>;

  /// The order of the settings does not matter; names and values may hold any byte.
  explicit CacheContext(std::vector<Setting> settings);

  cache::Key key(std::string_view text) const { return cache::make_key(prefix_, text); }

 private:
  cache::Key prefix_;
};

}  // namespace markeval::embed
