// Device::match_rows on the CPU.
#pragma once

#include <span>

#include "base/parallel.hpp"
#include "compute/device.hpp"

namespace markeval::compute::cpu {

void match_rows(RowRelation relation, std::span<const RowMatch> matches, ThreadPool& pool);

}  // namespace markeval::compute::cpu
