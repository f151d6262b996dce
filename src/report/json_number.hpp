// Numbers in JSON, and the text of it.
#pragma once

#include <cmath>
#include <optional>
#include <string>

#include "base/json.hpp"

namespace markeval::report {

/// null for what is absent or not finite, which JSON cannot write.
inline nlohmann::ordered_json json_number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

/// Like json_text(), and looks at the flag of the thread (base/cancellation.hpp) as it goes.
std::string written_json(const nlohmann::ordered_json& json, int indent = 1);

}  // namespace markeval::report
