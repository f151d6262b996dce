// Numbers in JSON.
#pragma once

#include <cmath>
#include <optional>

#include "base/json.hpp"

namespace markeval::report {

/// null for what is absent or not finite, which JSON cannot write.
inline nlohmann::ordered_json json_number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace markeval::report
