// The example files of the project.
#pragma once

#include <string>

namespace markeval {

inline const std::string kExamples = MARKEVAL_EXAMPLES;

}  // namespace markeval
