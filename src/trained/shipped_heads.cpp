// The heads inside the program: the assembler takes the files of heads/ in as they are. shipped_heads.inc,
// made by CMake, has a line MARKEVAL_HEAD(number, "path") for each.
#include "trained/match_head.hpp"

// clang-format off
#define MARKEVAL_HEAD(number, path)                                     \
  __asm__(".pushsection .rodata\n"                                      \
          ".balign 16\n"                                                \
          "markeval_head_" #number ":\n"                                \
          ".incbin \"" path "\"\n"                                      \
          "markeval_head_" #number "_end:\n"                            \
          ".popsection\n");                                             \
  extern "C" const std::byte markeval_head_##number[] __attribute__((visibility("hidden")));      \
  extern "C" const std::byte markeval_head_##number##_end[] __attribute__((visibility("hidden")));
#include "trained/shipped_heads.inc"
#undef MARKEVAL_HEAD
// clang-format on

namespace markeval::trained {

std::vector<std::span<const std::byte>> shipped_heads() {
  std::vector<std::span<const std::byte>> heads;
#define MARKEVAL_HEAD(number, path) heads.emplace_back(markeval_head_##number, markeval_head_##number##_end);
#include "trained/shipped_heads.inc"
#undef MARKEVAL_HEAD
  return heads;
}

}  // namespace markeval::trained
