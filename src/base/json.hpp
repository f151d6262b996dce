// JSON values that die without asking for memory. Every source includes this file in place of
// <nlohmann/json.hpp>.
#pragma once

#include <nlohmann/json.hpp>

// The library's own functions first move all members into a list, so that depth costs no stack. The list
// needs memory where no exception may leave: a server that has none left would end. These free the members by
// recursion; what others wrote is never deeper than Limit::json_depth.

template <>
inline void nlohmann::json::json_value::destroy(value_t kind) {
  if (kind == value_t::object) delete object;
  if (kind == value_t::array) delete array;
  if (kind == value_t::string) delete string;
  if (kind == value_t::binary) delete binary;
}

template <>
inline void nlohmann::ordered_json::json_value::destroy(value_t kind) {
  if (kind == value_t::object) delete object;
  if (kind == value_t::array) delete array;
  if (kind == value_t::string) delete string;
  if (kind == value_t::binary) delete binary;
}
