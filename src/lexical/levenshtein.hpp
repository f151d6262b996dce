// Levenshtein distance of two lists of symbols, 64 rows at a time (Myers 1999, blocks after Hyyro 2003).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace markeval::lexical {

class Levenshtein {
 public:
  /// Symbols are below `symbols` each.
  std::size_t operator()(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                         std::size_t symbols);

 private:
  std::vector<std::uint64_t> positions_;
  std::vector<std::int8_t>
      carry_;  // difference between neighbouring columns at the bottom of the block above
};

}  // namespace markeval::lexical
