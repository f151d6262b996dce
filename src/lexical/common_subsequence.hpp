// Longest common subsequences of two lists of word numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace markeval::lexical {

/// The length, 64 reference words at a time (Hyyro 2004). Word numbers are below `vocabulary`, or kUnknown
/// (matches none).
class SubsequenceLength {
 public:
  std::size_t operator()(std::span<const std::uint32_t> reference, std::span<const std::uint32_t> other,
                         std::size_t vocabulary);

 private:
  std::vector<std::uint64_t> positions_;
  std::vector<std::uint8_t> carry_;
};

/// Columns of the table of all pairs of words, and one more. Throws Error(invalid_input) where it would be
/// larger than 2^28 cells.
std::size_t table_width(std::span<const std::uint32_t> reference, std::span<const std::uint32_t> other);

/// Sets `hit[i]` for the reference positions of one longest common subsequence: read back from the end, and
/// where there is a choice a reference word is dropped before a word of the other side, as in rouge-score
/// 0.1.2 and ROUGE-1.5.5. Throws what table_width() throws.
void mark_common_subsequence(std::span<const std::uint32_t> reference, std::span<const std::uint32_t> other,
                             std::span<std::uint8_t> hit);

}  // namespace markeval::lexical
