// Parsing with the place of the line in messages.
#include "text/json_line.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_reader.hpp"
#include "text/utf8.hpp"

namespace markeval::text {

nlohmann::json parse_json_line(std::string_view line, const LineReader& lines) {
  const std::string where = fmt::format("{}:{}", lines.name(), lines.line_number());
  if (strip(line).empty()) throw_invalid(where + ": an empty line, expected a JSON object");
  return parse_json_object(line, where);
}

std::vector<std::string> field_names(const nlohmann::json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

}  // namespace markeval::text
