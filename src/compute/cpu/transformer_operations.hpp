// The transformer operations on the CPU: checks, threads and the plain loops; the hot loops are in
// transformer_kernels.hpp.
#pragma once

#include <memory>

#include "base/cpu_features.hpp"
#include "base/parallel.hpp"
#include "compute/transformer.hpp"

namespace markeval::compute::cpu {

/// `pool` must outlive the result.
std::unique_ptr<TransformerOperations> make_cpu_transformer(ThreadPool& pool, Isa isa);

struct TransformerKernels;
/// The kernels for `isa`: those of the best earlier instruction set where it has none of its own.
const TransformerKernels& transformer_kernels_for(Isa isa);

}  // namespace markeval::compute::cpu
