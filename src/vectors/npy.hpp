// Vectors in NumPy's file format (.npy versions 1 to 3, numpy.lib.format), plain or gzipped. One 2-D array of
// float16, float32 or float64, in C or Fortran order, of either byte order. What can be used where it lies is
// mapped, not read.
#pragma once

#include <string>

#include "base/matrix_view.hpp"
#include "vectors/vectors.hpp"

namespace markeval::vectors {

/// `path` may be "-" for standard input. float16 becomes float32, which is exact. Throws Error(io) where the
/// file cannot be read and Error(invalid_input) for anything that is not such an array, saying what was found
/// and what was expected. The values themselves are not looked at: see require_finite.
Vectors read_npy(const std::string& path, const std::atomic<bool>* cancel = nullptr);

}  // namespace markeval::vectors
