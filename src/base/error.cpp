// Functions that throw the error, with terminal control characters taken out of the message.
#include "base/error.hpp"

#include <cerrno>
#include <system_error>

#include "base/quotation.hpp"

namespace markeval {

void throw_usage(const std::string& message) {
  throw Error(ErrorCode::usage, harmless(message));
}
void throw_invalid(const std::string& message) {
  throw Error(ErrorCode::invalid_input, harmless(message));
}

void throw_io(const std::string& path, const std::string& action) {
  throw_io(path, action, errno);
}
void throw_io(const std::string& path, const std::string& action, int reason) {
  throw Error(ErrorCode::io,
              harmless(path + ": cannot " + action + ": " + std::generic_category().message(reason)));
}

}  // namespace markeval
