// One function per type of field, each with its error message.
#include "token/json_fields.hpp"

#include <fmt/format.h>

#include <limits>
#include <vector>

#include "base/error.hpp"
#include "base/json_reader.hpp"
#include "base/limits.hpp"
#include "base/quotation.hpp"

namespace markeval::token {

void JsonPath::fail(const std::string& message) const {
  throw_invalid(name + ": " + message);
}

const json* find_field(const json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

const json& require_field(const json& object, const char* key, const JsonPath& where) {
  if (!object.is_object()) where.fail(fmt::format("{}, expected an object", kind_of(object)));
  const json* found = find_field(object, key);
  if (found == nullptr) where.fail(fmt::format("no field '{}'", key));
  return *found;
}

bool read_bool(const json& object, const char* key, std::optional<bool> fallback, const JsonPath& where) {
  if (fallback && find_field(object, key) == nullptr) return *fallback;
  const json& value = require_field(object, key, where);
  if (!value.is_boolean()) where.fail(fmt::format("'{}' is {}, expected true or false", key, kind_of(value)));
  return value.get<bool>();
}

std::string read_string(const json& object, const char* key, std::optional<std::string> fallback,
                        const JsonPath& where) {
  if (fallback && find_field(object, key) == nullptr) return *fallback;
  const json& value = require_field(object, key, where);
  if (!value.is_string()) where.fail(fmt::format("'{}' is {}, expected a string", key, kind_of(value)));
  return value.get<std::string>();
}

std::int32_t as_id(const json& value, const JsonPath& where) {
  if (value.is_number_unsigned() && value.get<std::uint64_t>() < std::numeric_limits<std::int32_t>::max()) {
    return value.get<std::int32_t>();
  }
  where.fail(fmt::format("{}, expected a whole number from 0 to 2147483646", brief(value)));
}

std::int32_t read_count(const json& object, const char* key, std::optional<std::int32_t> fallback,
                        const JsonPath& where) {
  if (fallback && find_field(object, key) == nullptr) return *fallback;
  return as_id(require_field(object, key, where), where / key);
}

const json& require_array(const json& object, const char* key, const JsonPath& where) {
  const json& value = require_field(object, key, where);
  if (!value.is_array()) where.fail(fmt::format("'{}' is {}, expected a list", key, kind_of(value)));
  return value;
}

void require_piece_length(std::string_view piece, const JsonPath& where) {
  if (piece.size() <= limit_of(Limit::piece_bytes)) return;
  throw_beyond(Limit::piece_bytes,
               fmt::format("{}: {} has {} bytes", where.name, in_quotes(piece), piece.size()));
}

std::string read_type(const json& component, const JsonPath& where) {
  return read_string(component, "type", std::nullopt, where);
}

void fail_unknown_type(const std::string& type, std::initializer_list<std::string> known,
                       const JsonPath& where) {
  where.fail(fmt::format("type {} is not supported; known: {}", in_quotes(type), fmt::join(known, ", ")));
}

}  // namespace markeval::token
