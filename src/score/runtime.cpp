// The cache of vectors that a request names.
#include "score/runtime.hpp"

#include "models/store.hpp"

namespace markeval::score {

cache::VectorCache open_cache(const EncoderOptions& options, LogSink* log) {
  return cache::VectorCache(options.cache.empty() ? models::default_cache_folder() : options.cache,
                            cache::default_cache_bytes(), log);
}

}  // namespace markeval::score
