// Stands in for tests/contract/devices.hpp: the contract's tests of operations, with the card as the device.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cpu_features.hpp"
#include "base/parallel.hpp"
#include "second_device.hpp"

namespace markeval::compute {

struct TestedDevice {
  std::string name;
  std::function<std::unique_ptr<Device>(ThreadPool&)> make;
  double float_rounding = std::numeric_limits<float>::epsilon();
  double double_rounding = std::numeric_limits<double>::epsilon();
  bool same_bits = false;
  std::optional<Isa> isa;
};

inline std::vector<TestedDevice> tested_devices() {
  return {{.name = "card",
           .make = [](ThreadPool& pool) { return second_device(pool); },
           .same_bits = true,
           .isa = {}}};
}

class EveryDevice : public ::testing::TestWithParam<TestedDevice> {};

inline std::string device_name(const ::testing::TestParamInfo<TestedDevice>& info) {
  return info.param.name;
}

}  // namespace markeval::compute
