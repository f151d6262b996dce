// The assembler takes the files of src/serve/page in as they are. assets.inc, made by CMake, has a line
// MARKEVAL_ASSET(number, "name", "path") for each.
#include "serve/assets.hpp"

// clang-format off
#define MARKEVAL_ASSET(number, name, path)                              \
  __asm__(".pushsection .rodata\n"                                      \
          "markeval_asset_" #number ":\n"                               \
          ".incbin \"" path "\"\n"                                      \
          "markeval_asset_" #number "_end:\n"                           \
          ".popsection\n");                                             \
  extern "C" const char markeval_asset_##number[] __attribute__((visibility("hidden")));      \
  extern "C" const char markeval_asset_##number##_end[] __attribute__((visibility("hidden")));
#include "serve/assets.inc"
#undef MARKEVAL_ASSET
// clang-format on

namespace markeval::serve {

std::string_view asset(std::string_view name) {
#define MARKEVAL_ASSET(number, file, path) \
  if (name == file) return {markeval_asset_##number, markeval_asset_##number##_end};
#include "serve/assets.inc"
#undef MARKEVAL_ASSET
  return {};
}

}  // namespace markeval::serve
