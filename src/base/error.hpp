// The one exception type. Thrown for everything that ends a request; caught by the command line, the Python
// binding and the server, nowhere else. A message says what was found, what was expected and where:
//   refs.tsv:17: 3 columns, expected 4
#pragma once

#include <stdexcept>
#include <string>

namespace markeval {

enum class ErrorCode {
  usage,          ///< the request itself is wrong: an unknown metric, option or value
  invalid_input,  ///< the data are wrong: a damaged file, a NaN, widths that differ
  io,             ///< the machine said no: a missing file, a full disk
  cancelled,      ///< the user asked to stop
};

class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

[[noreturn]] void throw_usage(const std::string& message);
[[noreturn]] void throw_invalid(const std::string& message);
/// Adds the reason `errno` holds: "scores.json: cannot write: No space left on device".
[[noreturn]] void throw_io(const std::string& path, const std::string& action);
/// The same for a number that errno had, or a function gave back.
[[noreturn]] void throw_io(const std::string& path, const std::string& action, int reason);

}  // namespace markeval
