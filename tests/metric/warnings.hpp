// Keeps the warnings of a run.
#pragma once

#include <string>
#include <vector>

#include "base/run_context.hpp"

namespace markeval::metric {

struct Warnings : LogSink {
  void info(const std::string&) override {}
  void warning(const std::string& message) override { all.push_back(message); }
  std::vector<std::string> all;
};

}  // namespace markeval::metric
