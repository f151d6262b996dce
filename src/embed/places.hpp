// How large the cache may become unless the user says otherwise.
#pragma once

#include <cstdint>

namespace markeval::embed {

/// $MARKEVAL_CACHE_SIZE ("512M", "8G", bytes without a letter), else VectorCache::kDefaultMaxBytes. Throws
/// Error(usage).
std::uint64_t default_cache_bytes();

}  // namespace markeval::embed
