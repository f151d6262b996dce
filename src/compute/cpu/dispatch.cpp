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
MARKEVAL_DECLARE(portable, FinishTile<float>, kFinishTile)
MARKEVAL_DECLARE(portable, CodeKernel, kCodes)
MARKEVAL_DECLARE(portable, PairKernels, kPairKernels)
MARKEVAL_DECLARE(portable, DoubleKernel, kGemmF64)
MARKEVAL_DECLARE(portable, NetworkKernels, kNetworkKernels)
#if defined(__x86_64__)
MARKEVAL_DECLARE(portable_fma, GemmKernel, kGemmF32)
MARKEVAL_DECLARE(portable_fma, FinishTile<float>, kFinishTile)
MARKEVAL_DECLARE(avx2, GemmKernel, kGemmF32)
MARKEVAL_DECLARE(avx2, FinishTile<float>, kFinishTile)
MARKEVAL_DECLARE(avx2, CodeKernel, kCodes)
MARKEVAL_DECLARE(avx2, PairKernels, kPairKernels)
MARKEVAL_DECLARE(avx2, DoubleKernel, kGemmF64)
MARKEVAL_DECLARE(avx2, NetworkKernels, kNetworkKernels)
MARKEVAL_DECLARE(avx512, GemmKernel, kGemmF32)
MARKEVAL_DECLARE(avx512, FinishTile<float>, kFinishTile)
MARKEVAL_DECLARE(avx512, CodeKernel, kCodes)
MARKEVAL_DECLARE(avx512, PairKernels, kPairKernels)
MARKEVAL_DECLARE(avx512, DoubleKernel, kGemmF64)
MARKEVAL_DECLARE(avx512, NetworkKernels, kNetworkKernels)
MARKEVAL_DECLARE(avx512_vnni, CodeKernel, kCodes)
MARKEVAL_DECLARE(avx512_vnni, PairKernels, kPairKernels)
MARKEVAL_DECLARE(avx512_bf16, GemmKernel, kGemmBf16)
MARKEVAL_DECLARE(avx512_bf16, FinishTile<Bf16>, kFinishTileBf16)
MARKEVAL_DECLARE(amx, GemmKernel, kGemmBf16)
MARKEVAL_DECLARE(amx, CodeKernel, kCodes)
#elif defined(__aarch64__)
MARKEVAL_DECLARE(neon, GemmKernel, kGemmF32)
MARKEVAL_DECLARE(neon, FinishTile<float>, kFinishTile)
MARKEVAL_DECLARE(neon, CodeKernel, kCodes)
MARKEVAL_DECLARE(neon, PairKernels, kPairKernels)
MARKEVAL_DECLARE(neon_dotprod, CodeKernel, kCodes)
MARKEVAL_DECLARE(neon_dotprod, PairKernels, kPairKernels)
MARKEVAL_DECLARE(neon_i8mm, GemmKernel, kGemmBf16)
MARKEVAL_DECLARE(neon_i8mm, FinishTile<Bf16>, kFinishTileBf16)
MARKEVAL_DECLARE(neon_i8mm, CodeKernel, kCodes)
#endif

#undef MARKEVAL_DECLARE

namespace {

Kernels assemble(Isa isa) {
  Kernels kernels{&portable::kGemmF32,     portable::kFinishTile, &portable::kCodes,
                  &portable::kPairKernels, &portable::kGemmF64,   &portable::kNetworkKernels};
#if defined(__x86_64__)
  if (isa >= Isa::portable_fma) {
    kernels.f32 = &portable_fma::kGemmF32;
    kernels.finish_tile = portable_fma::kFinishTile;
  }
  if (isa >= Isa::avx2) {
    kernels = {&avx2::kGemmF32,     avx2::kFinishTile, &avx2::kCodes,
               &avx2::kPairKernels, &avx2::kGemmF64,   &avx2::kNetworkKernels};
  }
  if (isa >= Isa::avx512) {
    kernels = {&avx512::kGemmF32,     avx512::kFinishTile, &avx512::kCodes,
               &avx512::kPairKernels, &avx512::kGemmF64,   &avx512::kNetworkKernels};
  }
  if (isa >= Isa::avx512_vnni) {
    kernels.codes = &avx512_vnni::kCodes;
    kernels.pairs = &avx512_vnni::kPairKernels;
  }
  if (isa >= Isa::avx512_bf16) {
    kernels.bf16 = &avx512_bf16::kGemmBf16;
    kernels.finish_tile_bf16 = avx512_bf16::kFinishTileBf16;
  }
  if (isa >= Isa::amx) {
    kernels.bf16 = &amx::kGemmBf16;
    kernels.codes = &amx::kCodes;
  }
#elif defined(__aarch64__)
  if (isa >= Isa::neon)
    kernels = {&neon::kGemmF32,     neon::kFinishTile,   &neon::kCodes,
               &neon::kPairKernels, &portable::kGemmF64, &portable::kNetworkKernels};
  if (isa >= Isa::neon_dotprod) {
    kernels.codes = &neon_dotprod::kCodes;
    kernels.pairs = &neon_dotprod::kPairKernels;
  }
  if (isa >= Isa::neon_i8mm) {
    kernels.bf16 = &neon_i8mm::kGemmBf16;
    kernels.finish_tile_bf16 = neon_i8mm::kFinishTileBf16;
    kernels.codes = &neon_i8mm::kCodes;
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
