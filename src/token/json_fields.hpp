// Typed reading of tokenizer.json with errors that say where: "tokenizer.json: normalizer: no field 'type'".
// Only for the .cpp files of this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace markeval::token {

using nlohmann::json;

/// Where a value stands, for messages.
struct JsonPath {
  std::string name;
  JsonPath operator/(std::string_view part) const { return {name + ": " + std::string(part)}; }
  [[noreturn]] void fail(const std::string& message) const;
};

/// The member `key`; null and absent are the same.
const json* find_field(const json& object, const char* key);
const json& require_field(const json& object, const char* key, const JsonPath& where);
bool read_bool(const json& object, const char* key, std::optional<bool> fallback, const JsonPath& where);
std::string read_string(const json& object, const char* key, std::optional<std::string> fallback,
                        const JsonPath& where);
/// An integer in [0, 2^31): ids and counts.
std::int32_t read_count(const json& object, const char* key, std::optional<std::int32_t> fallback,
                        const JsonPath& where);
std::int32_t as_id(const json& value, const JsonPath& where);
const json& require_array(const json& object, const char* key, const JsonPath& where);
/// Throws Error(invalid_input) beyond Limit::piece_bytes: a long piece is walked along from every byte of a
/// text.
void require_piece_length(std::string_view piece, const JsonPath& where);
/// The "type" of a component.
std::string read_type(const json& component, const JsonPath& where);
[[noreturn]] void fail_unknown_type(const std::string& type, std::initializer_list<std::string> known,
                                    const JsonPath& where);

}  // namespace markeval::token
