// Who is told of progress, warnings and early results. Installed as a part of <markeval/markeval.hpp>.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace markeval {

/// Told what happens during a long computation; called from one thread at a time.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void progress(std::string_view stage, std::uint64_t done, std::uint64_t total);
  virtual void info(const std::string& message);
  virtual void warning(const std::string& message);
  /// What is computed before a model is loaded; the report will have it too.
  virtual void early_results(const std::vector<Result>& results);
};

}  // namespace markeval
