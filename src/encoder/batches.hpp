// Sequences -> batches for the encoder.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace markeval::encoder {

/// Cuts sequences of these lengths into batches of at most `batch_tokens` tokens: numbers of sequences,
/// longest first.
///   plan_batches({3, 9, 5}, 10) -> {{1}, {2, 0}}
std::vector<std::vector<std::size_t>> plan_batches(std::span<const std::size_t> lengths,
                                                   std::size_t batch_tokens);

}  // namespace markeval::encoder
