// Lines of .jsonl: each is one JSON object. Only for the .cpp files of this folder.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "text/line_reader.hpp"

namespace markeval::text {

/// The line last read by `lines`. Throws Error(invalid_input) "data.jsonl:17: ..." where it is no JSON
/// object.
nlohmann::json parse_json_line(std::string_view line, const LineReader& lines);

/// The names of an object's fields, for messages.
std::vector<std::string> field_names(const nlohmann::json& object);

}  // namespace markeval::text
