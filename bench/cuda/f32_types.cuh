// What kernels and the host both name: rows of a matrix on the card, and the pieces of sequences that
// attention works on.
#pragma once

#include <cstddef>

namespace f32 {

template <typename T>
struct Rows {
  T* data;
  std::size_t stride;
  int rows, columns;
  __device__ T* row(std::size_t index) const { return data + index * stride; }
};

/// Thirty-two queries of a sequence, or fewer at its end.
struct QueryChunk {
  int begin, length;  // of the sequence
  int first;          // query, counted from `begin`
};

}  // namespace f32
