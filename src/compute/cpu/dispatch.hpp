// Which kernels an instruction set uses.
#pragma once

#include "base/cpu_features.hpp"
#include "compute/cpu/kernels.hpp"

namespace markeval::compute::cpu {

/// The best kernels of `isa` and those below it. `isa` must be one this CPU supports.
const Kernels& kernels_for(Isa isa);

}  // namespace markeval::compute::cpu
