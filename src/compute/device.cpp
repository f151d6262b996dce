// The one place that knows which devices there are. A new one is a name more here.
#include "compute/device.hpp"

#include <array>

#include "base/error.hpp"
#include "base/suggestion.hpp"

namespace markeval::compute {

std::unique_ptr<Device> make_device(const std::string& name, ThreadPool& pool) {
  if (name == "cpu") return make_cpu_device(pool);
  if (name.starts_with("cuda"))
    throw Error(ErrorCode::io, "this build computes on the CPU only, device " + name + " is not available");
  const std::array<std::string, 1> known{"cpu"};
  throw_usage("unknown device '" + name + "'" + suggestion(name, known));
}

}  // namespace markeval::compute
