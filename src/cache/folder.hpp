// Whether a folder can hold a cache.
#pragma once

#include <string>

#include "base/run_context.hpp"

namespace markeval::cache {

/// Makes the folder and removes the files of version 0.1.0 from it (`log` is told). Gives back why no cache
/// can be kept there, or an empty string.
std::string prepare_folder(const std::string& folder, LogSink* log);

}  // namespace markeval::cache
