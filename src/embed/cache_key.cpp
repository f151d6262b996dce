#include "embed/cache_key.hpp"

#include <algorithm>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace markeval::embed {

CacheContext::CacheContext(std::vector<Setting> settings) {
  std::sort(settings.begin(), settings.end());
  // Lengths go first, so that no two lists of settings write the same bytes: {"a", "b=c"} is not {"a=b",
  // "c"}.
  std::string canonical;
  for (const auto& [name, value] : settings) {
    canonical += std::to_string(name.size()) + ":" + name + std::to_string(value.size()) + ":" + value;
  }
  const XXH128_hash_t hash = XXH3_128bits(canonical.data(), canonical.size());
  high_ = hash.high64;
  low_ = hash.low64;
}

CacheKey CacheContext::key(std::string_view text) const {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(text.data(), text.size(), low_);
  return {hash.high64, hash.low64, XXH64(text.data(), text.size(), high_), text.size()};
}

}  // namespace markeval::embed
