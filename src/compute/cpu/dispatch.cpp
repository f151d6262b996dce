// Which kernels an instruction set uses: its own, or the best below it.
//
// To add a kernel:
//  1. Write it once, in a file of its own in this folder, inside `namespace
//  markeval::compute::cpu::MARKEVAL_KERNEL_ISA`,
//     with everything but one `extern const` in an unnamed namespace, and include nothing but kernels.hpp,
//     simd.hpp, pack.hpp, <cstddef>, <cstdint> and intrinsics: an inline function compiled for AVX-512 must
//     not leave the object.
//  2. Name the file and its instruction sets in ../CMakeLists.txt (markeval_isa_objects).
//  3. Declare and use it below; a new kind of kernel gets a member of Kernels in kernels.hpp.
//  4. tests/contract runs every supported instruction set through the same suite against compute/reference: a
//  new kind
//     of kernel needs its case there, a new kernel of an old kind needs nothing.
#include "compute/cpu/dispatch.hpp"

#include <cassert>

namespace markeval::compute::cpu {

#define MARKEVAL_DECLARE(isa, type, name) \
  namespace isa {                         \
  extern const type name;                 \
  }

MARKEVAL_DECLARE(portable, GemmKernel, kGemmF32)
MARKEVAL_DECLARE(portable, FinishTile, kFinishTile)
MARKEVAL_DECLARE(portable, CodeKernel, kCodes)
MARKEVAL_DECLARE(portable, PairKernels, kPairKernels)
#if defined(__aarch64__)
MARKEVAL_DECLARE(neon, GemmKernel, kGemmF32)
MARKEVAL_DECLARE(neon, FinishTile, kFinishTile)
MARKEVAL_DECLARE(neon, PairKernels, kPairKernels)
MARKEVAL_DECLARE(neon_dotprod, CodeKernel, kCodes)
MARKEVAL_DECLARE(neon_dotprod, PairKernels, kPairKernels)
#endif

#undef MARKEVAL_DECLARE

namespace {

Kernels assemble(Isa isa) {
  Kernels kernels{&portable::kGemmF32, nullptr, portable::kFinishTile, &portable::kCodes,
                  &portable::kPairKernels};
#if defined(__aarch64__)
  if (isa >= Isa::neon) {
    kernels.f32 = &neon::kGemmF32;
    kernels.finish_tile = neon::kFinishTile;
    kernels.pairs = &neon::kPairKernels;
  }
  if (isa >= Isa::neon_dotprod) {
    kernels.codes = &neon_dotprod::kCodes;
    kernels.pairs = &neon_dotprod::kPairKernels;
  }
#endif
  return kernels;
}

}  // namespace

const Kernels& kernels_for(Isa isa) {
  static const std::vector<std::pair<Isa, Kernels>> all = [] {
    std::vector<std::pair<Isa, Kernels>> result;
    for (const Isa supported : supported_isas()) result.emplace_back(supported, assemble(supported));
    return result;
  }();
  for (const auto& [candidate, kernels] : all) {
    if (candidate == isa) return kernels;
  }
  assert(false && "not supported by this CPU");
  return all.front().second;
}

}  // namespace markeval::compute::cpu
