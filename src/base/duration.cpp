// Seconds as "12 s", "3:05 min" or "1:02:30 h".
#include "base/duration.hpp"

#include <fmt/format.h>

namespace markeval {

std::string in_words(std::chrono::seconds duration) {
  const auto seconds = duration.count();
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return fmt::format("{}:{:02} min", seconds / 60, seconds % 60);
  return fmt::format("{}:{:02}:{:02} h", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

}  // namespace markeval
