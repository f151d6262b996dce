// A suite that runs once for every instruction set this CPU has.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/cpu_features.hpp"

namespace markeval::compute {

class EveryIsa : public testing::TestWithParam<Isa> {};

inline std::string isa_name(const testing::TestParamInfo<Isa>& info) {
  return std::string(name(info.param));
}

}  // namespace markeval::compute
