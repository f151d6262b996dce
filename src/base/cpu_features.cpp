// Detection by CPUID on x86-64 and by the kernel's hardware bits on ARM. MARKEVAL_ISA overrides the choice.
#include "base/cpu_features.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/error.hpp"
#include "base/suggestion.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace markeval {
namespace {

constexpr std::array kNames{"portable",    "portable_fma", "avx2", "avx512",       "avx512_vnni",
                            "avx512_bf16", "amx",          "neon", "neon_dotprod", "neon_i8mm"};

#if defined(__x86_64__)

// AMX tiles are a large register state that Linux gives a process only on request.
bool may_use_amx_tiles() {
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;               // XFEATURE_XTILEDATA
  return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

// GCC 12's __builtin_cpu_supports does not know AMX.
bool has_amx() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  constexpr unsigned kBf16 = 1u << 22, kTile = 1u << 24, kInt8 = 1u << 25;
  return (d & kBf16) != 0 && (d & kTile) != 0 && (d & kInt8) != 0 && may_use_amx_tiles();
}

std::vector<Isa> detect() {
  std::vector<Isa> isas{Isa::portable};
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("fma")) return isas;
  isas.push_back(Isa::portable_fma);
  if (!__builtin_cpu_supports("avx2")) return isas;
  isas.push_back(Isa::avx2);
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512dq")) {
    return isas;
  }
  isas.push_back(Isa::avx512);
  if (!__builtin_cpu_supports("avx512vnni")) return isas;
  isas.push_back(Isa::avx512_vnni);
  if (!__builtin_cpu_supports("avx512bf16")) return isas;
  isas.push_back(Isa::avx512_bf16);
  if (has_amx()) isas.push_back(Isa::amx);
  return isas;
}

#elif defined(__aarch64__)

std::vector<Isa> detect() {
  std::vector<Isa> isas{Isa::portable, Isa::neon};
  constexpr unsigned long kDotProduct = 1ul << 20;                     // HWCAP_ASIMDDP
  constexpr unsigned long kInt8Matrix = 1ul << 13, kBf16 = 1ul << 14;  // HWCAP2_I8MM, HWCAP2_BF16
  if ((::getauxval(AT_HWCAP) & kDotProduct) == 0) return isas;
  isas.push_back(Isa::neon_dotprod);
  const unsigned long more = ::getauxval(AT_HWCAP2);
  if ((more & kInt8Matrix) != 0 && (more & kBf16) != 0) isas.push_back(Isa::neon_i8mm);
  return isas;
}

#else

std::vector<Isa> detect() {
  return {Isa::portable};
}

#endif

Isa choose() {
  const std::vector<Isa> isas = supported_isas();
  const char* const wanted = std::getenv("MARKEVAL_ISA");
  if (wanted == nullptr || *wanted == '\0') return isas.back();
  std::vector<std::string> names;
  for (const Isa isa : isas) {
    if (name(isa) == wanted) return isa;
    names.emplace_back(name(isa));
  }
  const bool known = std::find(kNames.begin(), kNames.end(), std::string_view(wanted)) != kNames.end();
  throw_usage(std::string("MARKEVAL_ISA is '") + wanted + "', " +
              (known ? "which this CPU does not have" + suggestion("", names)
                     : "which is no instruction set" + suggestion(wanted, names)));
}

}  // namespace

std::string_view name(Isa isa) {
  return kNames.at(static_cast<std::size_t>(isa));
}

std::vector<Isa> supported_isas() {
  static const std::vector<Isa> isas = detect();
  return isas;
}

Isa chosen_isa() {
  static const Isa isa = choose();
  return isa;
}

}  // namespace markeval
