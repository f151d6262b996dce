// The heads inside the program, the files heads/MODEL/match.safetensors, and heads/learned_pairs.bin.
#include <string_view>

#include "base/embedded_file.hpp"
#include "trained/match_head.hpp"

#define MARKEVAL_FILE(symbol, name, path) MARKEVAL_EMBED(symbol, path)
#include "trained/shipped_heads.inc"
#undef MARKEVAL_FILE

namespace markeval::trained {
namespace {

constexpr std::string_view kPairs = "learned_pairs.bin";

struct ShippedFile {
  std::string_view name;
  std::span<const std::byte> bytes;
};

std::vector<ShippedFile> shipped_files() {
#define MARKEVAL_FILE(symbol, name, path) {name, std::as_bytes(std::span(symbol, symbol##_end))},
  return {
#include "trained/shipped_heads.inc"
  };
#undef MARKEVAL_FILE
}

}  // namespace

std::vector<std::span<const std::byte>> shipped_heads() {
  std::vector<std::span<const std::byte>> heads;
  for (const ShippedFile& file : shipped_files()) {
    if (file.name != kPairs) heads.push_back(file.bytes);
  }
  return heads;
}

std::span<const std::byte> shipped_pairs() {
  for (const ShippedFile& file : shipped_files()) {
    if (file.name == kPairs) return file.bytes;
  }
  return {};
}

}  // namespace markeval::trained
