// Requests as JSON, by the fields of request/fields: for the server and its description.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "request/fields.hpp"

namespace markeval::request {

/// Sets the fields that `object` names. `data` are names of it that the caller reads himself: texts, vectors.
/// The object comes from a client: a field that names a file of this machine, a model's folder or a metric's
/// file is refused. Throws Error(usage) that names the field:
///   "unknown field 'max_lenght'; did you mean 'max_length'?"
///   "max_length is '12', expected a whole number from 3 to 1000000"
void read_request(const nlohmann::json& object, std::span<const Field> fields,
                  std::span<const std::string> data = {});

/// Every field with its value; what is absent is null.
nlohmann::ordered_json request_to_json(std::span<const Field> fields);

/// The fields a client may set, as "properties" of a JSON schema: type, default, description, choices,
/// limits.
nlohmann::ordered_json request_schema(std::span<const Field> fields);

}  // namespace markeval::request
