// The one reader of JSON: configurations, tokenizers, headers of weight files, lines of .jsonl, answers of a
// hub. Others wrote them, so size and depth are bounded: what comes out can be walked through by recursion.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace markeval {

/// Depth and size have limits of their own (base/limits.hpp); a caller may want less.
struct JsonLimits {
  std::size_t bytes = std::numeric_limits<std::size_t>::max();
  std::size_t keys = std::numeric_limits<std::size_t>::max();  ///< of all objects together
  std::size_t values = std::numeric_limits<std::size_t>::max();
};

/// Throws Error(invalid_input) that begins with `name`, says in which line and what was expected:
///   "config.json: line 3: not JSON: unexpected '}'; expected string literal"
/// A key that comes twice in one object is such an error too.
nlohmann::json parse_json(std::string_view text, const std::string& name, const JsonLimits& limits = {});

/// The same for what must be {...}.
nlohmann::json parse_json_object(std::string_view text, const std::string& name,
                                 const JsonLimits& limits = {});

/// The string `object` has under that name; empty where it has none, or is no object.
std::string text_in(const nlohmann::json& object, const char* key);

/// "an object", "a list", "a string", "a number", "true or false", "null"
std::string kind_of(const nlohmann::json& value);

/// A value for a message: its text where that is short, else what kind it is.
std::string brief(const nlohmann::json& value);

}  // namespace markeval
