// The devices that go through the contract. Every suite of this folder runs once for each.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "base/cpu_features.hpp"
#include "base/parallel.hpp"
#include "compute/device.hpp"

namespace markeval::compute {

struct TestedDevice {
  std::string name;
  std::function<std::unique_ptr<Device>(ThreadPool&)> make;
  /// The rounding of one operation on numbers of a type; products may be off by one for every term.
  double float_rounding = std::numeric_limits<float>::epsilon();
  double double_rounding = std::numeric_limits<double>::epsilon();
  /// Its float32 results have the bits that decision 013 defines.
  bool same_bits = false;
  std::optional<Isa> isa;  ///< of a CPU
};

inline std::vector<TestedDevice> tested_devices() {
  std::vector<TestedDevice> devices;
  for (const Isa isa : supported_isas()) {
    devices.push_back({.name = std::string(name(isa)),
                       .make = [isa](ThreadPool& pool) { return make_cpu_device(pool, isa); },
                       .same_bits = true,
                       .isa = isa});
  }
  return devices;  // another device is one more entry above
}

inline std::ostream& operator<<(std::ostream& out, const TestedDevice& device) {
  return out << device.name;
}

class EveryDevice : public ::testing::TestWithParam<TestedDevice> {};

inline std::string device_name(const ::testing::TestParamInfo<TestedDevice>& info) {
  return info.param.name;
}

}  // namespace markeval::compute
