// Which instruction sets this CPU has, and which one to use. Kernels are compiled once per instruction set
// (cmake/isa.cmake) and chosen here, at run time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace markeval {

/// In rising order on each architecture: a CPU that has one has all the earlier ones of its architecture.
enum class Isa {
  portable,      ///< plain C++, any CPU; x86-64 computes a fused multiply-add in double
  portable_fma,  ///< x86-64: the same code with FMA instructions
  avx2,          ///< x86-64: AVX2, FMA, F16C
  avx512,        ///< x86-64: AVX-512 F, BW, VL, DQ
  avx512_vnni,   ///< + int8 dot products
  avx512_bf16,   ///< + bf16 dot products
  amx,           ///< + AMX tiles for bf16 and int8
  neon,          ///< aarch64 baseline
  neon_dotprod,  ///< + int8 dot products (Neoverse-N1)
  neon_i8mm,     ///< + int8 and bf16 matrix instructions (Neoverse-V1)
};

std::string_view name(Isa isa);

/// Every instruction set this CPU can run, `portable` first, the best one last.
std::vector<Isa> supported_isas();

/// The best supported one, or the one the environment variable MARKEVAL_ISA names. Decided once per process.
/// Throws Error(usage) where the variable names none, or one this CPU lacks.
Isa chosen_isa();

}  // namespace markeval
