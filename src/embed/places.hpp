// Where things lie on this machine unless the user says otherwise.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace markeval::embed {

/// Where the cache lies unless told otherwise: $MARKEVAL_CACHE, else $XDG_CACHE_HOME/markeval, else
/// ~/.cache/markeval, else (no home) "none".
std::string default_cache_folder();

/// $MARKEVAL_CACHE_SIZE ("512M", "8G", bytes without a letter), else VectorCache::kDefaultMaxBytes. Throws
/// Error(usage).
std::uint64_t default_cache_bytes();

/// Where models are looked for, in this order: $MARKEVAL_MODELS, else $XDG_DATA_HOME/markeval/models, else
/// ~/.local/share/markeval/models; then models/ of the working folder. The first is where new ones go.
std::vector<std::string> model_folders();

}  // namespace markeval::embed
