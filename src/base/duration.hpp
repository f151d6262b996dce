// How long something takes, for people.
#pragma once

#include <chrono>
#include <string>

namespace markeval {

/// "12 s", "3:05 min", "1:02:00 h".
std::string in_words(std::chrono::seconds duration);

}  // namespace markeval
