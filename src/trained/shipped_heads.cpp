// The heads inside the program: the files heads/MODEL/match.safetensors.
#include "base/embedded_file.hpp"
#include "trained/match_head.hpp"

#define MARKEVAL_FILE(symbol, name, path) MARKEVAL_EMBED(symbol, path)
#include "trained/shipped_heads.inc"
#undef MARKEVAL_FILE

namespace markeval::trained {

std::vector<std::span<const std::byte>> shipped_heads() {
  std::vector<std::span<const std::byte>> heads;
#define MARKEVAL_FILE(symbol, name, path) heads.push_back(std::as_bytes(std::span(symbol, symbol##_end)));
#include "trained/shipped_heads.inc"
#undef MARKEVAL_FILE
  return heads;
}

}  // namespace markeval::trained
