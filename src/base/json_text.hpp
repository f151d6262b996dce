// JSON as text, the one way all of it is written. Names of files may hold any bytes: what is no UTF-8 becomes
// U+FFFD instead of an exception.
#pragma once

#include <string>

namespace markeval {

/// `indent` blanks for each level; -1: all on one line. `ascii`: other letters are written as \uXXXX.
template <typename Json>
std::string json_text(const Json& value, int indent = -1, bool ascii = false) {
  return value.dump(indent, ' ', ascii, Json::error_handler_t::replace);
}

}  // namespace markeval
