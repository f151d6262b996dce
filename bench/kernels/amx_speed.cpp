// How fast this CPU runs its matrix instructions, over time: four tile loads and four bf16 products, again
// and again, on operands that fit the first cache. Where the time of a step jumps, comparisons of bf16
// products say as much about the moment as about the programs.
//   g++ -O3 -march=sapphirerapids -Isrc -DMARKEVAL_KERNEL_ISA=amx bench/kernels/amx_speed.cpp -o amx_speed
//   taskset -c 2 ./amx_speed [SECONDS]
// Prints nanoseconds a step for every 50 ms.
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "compute/cpu/amx_tiles.hpp"

namespace {

alignas(64) char left[8192], right[8192];

void steps(long count) {
  for (long i = 0; i < count; ++i) {
    const char* const a = left + i % 4 * 2048;
    const char* const b = right + i % 4 * 2048;
    _tile_loadd(4, a, 64);
    _tile_loadd(6, b, 64);
    _tile_loadd(7, b + 1024, 64);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(5, a + 1024, 64);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
}

}  // namespace

int main(int argc, char** argv) {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  if (::syscall(SYS_arch_prctl, kRequestPermission, kTileData) != 0) {
    std::fprintf(stderr, "amx_speed: the kernel does not allow AMX here\n");
    return 1;
  }
  markeval::compute::cpu::amx::begin_tiles();
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const double seconds = argc > 1 ? std::strtod(argv[1], nullptr) : 5;
  while (std::chrono::duration<double>(Clock::now() - start).count() < seconds) {
    const auto begin = Clock::now();
    long done = 0;
    for (; Clock::now() - begin < std::chrono::milliseconds(50); done += 10'000) steps(10'000);
    const double passed = std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
    std::printf("%7.2f s %7.1f ns\n", std::chrono::duration<double>(begin - start).count(),
                passed / static_cast<double>(done));
  }
  markeval::compute::cpu::amx::end_tiles();
}
