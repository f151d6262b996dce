#include "base/cpu_features.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace markeval {
namespace {

TEST(CpuFeatures, PortableIsAlwaysThereAndFirst) {
  EXPECT_EQ(supported_isas().front(), Isa::portable);
}

TEST(CpuFeatures, RiseInOrder) {
  const auto isas = supported_isas();
  EXPECT_TRUE(std::is_sorted(isas.begin(), isas.end()));
}

TEST(CpuFeatures, TheChosenOneIsSupported) {
  const auto isas = supported_isas();
  EXPECT_NE(std::find(isas.begin(), isas.end(), chosen_isa()), isas.end());
}

}  // namespace
}  // namespace markeval
