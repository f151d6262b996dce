// An environment variable set (or, with nullptr, unset) for as long as this lives.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace markeval {

class EnvironmentVariable {
 public:
  EnvironmentVariable(const char* name, const char* value) : name_(name) {
    const char* before = std::getenv(name);
    if (before != nullptr) before_ = before;
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  }
  EnvironmentVariable(const char* name, const std::string& value)
      : EnvironmentVariable(name, value.c_str()) {}
  ~EnvironmentVariable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace markeval
