// The weighted longest common subsequence of ROUGE-W (Lin 2004, section 3.4; ties as in ROUGE-1.5.5).
#pragma once

#include <cstdint>
#include <span>

namespace markeval::lexical {

/// Sets `hit[i]` for the reference positions of the best common subsequence, where k consecutive matches
/// weigh k^weight. Throws Error(invalid_input) where the table would be larger than 2^28 cells.
void mark_weighted_subsequence(std::span<const std::uint32_t> reference, std::span<const std::uint32_t> other,
                               double weight, std::span<std::uint8_t> hit);

}  // namespace markeval::lexical
