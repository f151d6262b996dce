// The version comes from CMake as MARKEVAL_VERSION.
#include "base/version.hpp"

namespace markeval {

std::string_view version() {
  return MARKEVAL_VERSION;
}

}  // namespace markeval
