// A file inside the program: the assembler takes it in as it is. CMake's markeval_embed() makes the list of
// files, a line MARKEVAL_FILE(symbol, "name", "path") for each.
#pragma once

// clang-format off
#define MARKEVAL_EMBED(symbol, path)                                              \
  __asm__(".pushsection .rodata\n"                                                \
          ".balign 16\n"                                                          \
          #symbol ":\n"                                                           \
          ".incbin \"" path "\"\n"                                                \
          #symbol "_end:\n"                                                       \
          ".popsection\n");                                                       \
  extern "C" const char symbol[] __attribute__((visibility("hidden")));           \
  extern "C" const char symbol##_end[] __attribute__((visibility("hidden")));
// clang-format on
