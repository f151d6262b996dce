// Which kernels an instruction set uses: its own, or the best below it.
//
// To add a kernel:
//  1. Write it once, in a file of its own in this folder, inside `namespace
//  markeval::compute::cpu::MARKEVAL_KERNEL_ISA`,
//     with everything but one `extern const` in an unnamed namespace, and include nothing but kernels.hpp,
//     simd.hpp, pack.hpp, <cstddef>, <cstdint> and intrinsics: an inline function compiled for AVX-512 must
//     not leave the object.
//  2. Name the file and its instruction sets in ../CMakeLists.txt (markeval_isa_objects).
//  3. List it below; a new kind of kernel gets a member of Kernels in kernels.hpp.
//  4. tests/contract runs every supported instruction set through the same suite against compute/reference: a
//  new kind
//     of kernel needs its case there, a new kernel of an old kind needs nothing.
#include "compute/cpu/dispatch.hpp"

#include <cassert>

namespace markeval::compute::cpu {

// Instruction set, member of Kernels, type and name of a kernel. A later line beats an earlier one.
#define MARKEVAL_KERNELS_OF_ALL(KERNEL, isa)               \
  KERNEL(isa, f32, GemmKernel, kGemmF32)                   \
  KERNEL(isa, finish_tile, FinishTile<float>, kFinishTile) \
  KERNEL(isa, codes, CodeKernel, kCodes)                   \
  KERNEL(isa, pairs, PairKernels, kPairKernels)
#define MARKEVAL_DOUBLE_AND_NETWORKS(KERNEL, isa) \
  KERNEL(isa, f64, DoubleKernel, kGemmF64)        \
  KERNEL(isa, networks, NetworkKernels, kNetworkKernels)
#define MARKEVAL_BF16(KERNEL, isa)         \
  KERNEL(isa, bf16, GemmKernel, kGemmBf16) \
  KERNEL(isa, finish_tile_bf16, FinishTile<Bf16>, kFinishTileBf16)
#define MARKEVAL_PORTABLE(KERNEL)           \
  MARKEVAL_KERNELS_OF_ALL(KERNEL, portable) \
  MARKEVAL_DOUBLE_AND_NETWORKS(KERNEL, portable)
#if defined(__x86_64__)
#define MARKEVAL_KERNELS(KERNEL)                                    \
  MARKEVAL_PORTABLE(KERNEL)                                         \
  KERNEL(portable_fma, f32, GemmKernel, kGemmF32)                   \
  KERNEL(portable_fma, finish_tile, FinishTile<float>, kFinishTile) \
  MARKEVAL_KERNELS_OF_ALL(KERNEL, avx2)                             \
  MARKEVAL_DOUBLE_AND_NETWORKS(KERNEL, avx2)                        \
  MARKEVAL_KERNELS_OF_ALL(KERNEL, avx512)                           \
  MARKEVAL_DOUBLE_AND_NETWORKS(KERNEL, avx512)                      \
  KERNEL(avx512_vnni, codes, CodeKernel, kCodes)                    \
  KERNEL(avx512_vnni, pairs, PairKernels, kPairKernels)             \
  MARKEVAL_BF16(KERNEL, avx512_bf16)                                \
  KERNEL(amx, bf16, GemmKernel, kGemmBf16)                          \
  KERNEL(amx, codes, CodeKernel, kCodes)
#elif defined(__aarch64__)
#define MARKEVAL_KERNELS(KERNEL)                         \
  MARKEVAL_PORTABLE(KERNEL)                              \
  MARKEVAL_KERNELS_OF_ALL(KERNEL, neon)                  \
  KERNEL(neon_dotprod, codes, CodeKernel, kCodes)        \
  KERNEL(neon_dotprod, pairs, PairKernels, kPairKernels) \
  MARKEVAL_BF16(KERNEL, neon_i8mm)                       \
  KERNEL(neon_i8mm, codes, CodeKernel, kCodes)
#else
#define MARKEVAL_KERNELS(KERNEL) MARKEVAL_PORTABLE(KERNEL)
#endif

#define MARKEVAL_DECLARE(isa, member, type, name) \
  namespace isa {                                 \
  extern const type name;                         \
  }
MARKEVAL_KERNELS(MARKEVAL_DECLARE)
#undef MARKEVAL_DECLARE

namespace {

template <typename Kernel>
void use(const Kernel*& member, const Kernel& kernel) {
  member = &kernel;
}
template <typename Out>
void use(FinishTile<Out>& member, const FinishTile<Out>& kernel) {
  member = kernel;
}

Kernels assemble(Isa isa) {
  Kernels kernels{};
#define MARKEVAL_USE(at_least, member, type, name) \
  if (isa >= Isa::at_least) use(kernels.member, at_least::name);
  MARKEVAL_KERNELS(MARKEVAL_USE)
#undef MARKEVAL_USE
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
