#include "api/model_choice.hpp"

#include <fmt/format.h>

#include <array>

#include "base/error.hpp"
#include "base/suggestion.hpp"
#include "models/places.hpp"

namespace markeval {

void check_device(const std::string& device) {
  if (device == "cuda")
    throw Error(ErrorCode::io, "this build computes on the CPU only, device cuda is not available");
  const std::array<std::string, 2> known{"cpu", "cuda"};
  if (device != "cpu") throw_usage(fmt::format("unknown device '{}'{}", device, suggestion(device, known)));
}

compute::Precision parse_precision(const std::string& precision) {
  if (precision == "f32") return compute::Precision::f32;
  if (precision == "bf16") return compute::Precision::bf16;
  const std::array<std::string, 2> known{"f32", "bf16"};
  throw_usage(fmt::format("unknown precision '{}'{}", precision, suggestion(precision, known)));
}

std::string length_limit(std::size_t max_length) {
  return max_length > 0 ? fmt::format("--max-length {}", max_length) : "the model takes";
}

std::string cache_folder(const std::string& cache) {
  return cache.empty() ? models::default_cache_folder() : cache;
}

}  // namespace markeval
