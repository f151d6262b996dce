// Vectors in NumPy's file format (.npy versions 1 to 3, numpy.lib.format), plain or gzipped. One 2-D array of
// float16, float32 or float64, in C or Fortran order, of either byte order. What can be used where it lies is
// mapped, not read. A third dimension, layers, is read where it is asked for.
#pragma once

#include <string>

#include "base/matrix_view.hpp"
#include "vectors/vectors.hpp"

namespace markeval::vectors {

/// `path` may be "-" for standard input. float16 becomes float32, which is exact. Throws Error(io) where the
/// file cannot be read and Error(invalid_input) for anything that is not such an array, saying what was found
/// and what was expected. The values themselves are not looked at: see require_finite.
Vectors read_npy(const std::string& path, const std::atomic<bool>* cancel = nullptr);

/// Rows of several layers side by side: an array of rows x layers x width, or of rows x width, one layer.
struct LayeredRows {
  Vectors rows;  ///< layers x width columns
  std::size_t layers = 1;
};
/// As read_npy, also for arrays of three dimensions in C order.
LayeredRows read_layered_npy(const std::string& path, const std::atomic<bool>* cancel = nullptr);

}  // namespace markeval::vectors
