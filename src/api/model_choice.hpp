// What a request says about the model behind its vectors, understood.
#pragma once

#include <string>

#include "compute/device.hpp"

namespace markeval {

/// "cpu". Throws Error(io) for cuda, which this build has not, and Error(usage) naming the closest right
/// word.
void check_device(const std::string& device);

/// "f32" or "bf16". Throws Error(usage) naming the closest right word.
compute::Precision parse_precision(const std::string& precision);

/// What a text is too long for: "--max-length 10", or "the model takes".
std::string length_limit(std::size_t max_length);

/// Empty: the default folder.
std::string cache_folder(const std::string& cache);

/// For requests that score texts on their way.
template <typename From, typename To>
void copy_encoder_settings(const From& from, To& to) {
  to.model = from.model;
  to.precision = from.precision;
  to.max_length = from.max_length;
  to.windows = from.windows;
  to.cache = from.cache;
}

}  // namespace markeval
