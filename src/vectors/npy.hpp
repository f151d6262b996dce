// Vectors in NumPy's file format (.npy versions 1 to 3, numpy.lib.format). Read plain or gzipped: one 2-D
// array of float16, float32 or float64, in C or Fortran order, of either byte order; a third dimension,
// layers, where it is asked for. Written row by row as float32.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/output_file.hpp"
#include "vectors/vectors.hpp"

namespace markeval::vectors {

enum class NpyShape { rows, layered };  ///< 2-D; or also 3-D in C order, rows x layers x width

/// `path` may be "-" for standard input. float16 becomes float32, which is exact. Layers stand side by side
/// in a row. Throws Error(io) where the file cannot be read and Error(invalid_input) for anything that is not
/// such an array, saying what was found and what was expected. The values themselves are not looked at: see
/// require_finite.
Vectors read_npy(const std::string& path, NpyShape expected = NpyShape::rows);

/// How many rows there are is known only at the end, so the header's place is kept free.
class NpyWriter {
 public:
  /// float32, C order; the shape will be (rows, inner...), for example {384} or {7, 384}. Throws Error(io)
  /// where the file cannot be made, and Error(usage) where it is no ordinary file: a pipe takes no header
  /// after the rows.
  NpyWriter(const std::string& path, std::vector<std::size_t> inner);

  /// Any number of whole rows.
  void write(std::span<const float> values);
  std::uint64_t rows() const { return values_ / row_values_; }
  /// Now the file exists. Throws Error(io).
  void commit();

 private:
  void flush();
  std::vector<std::size_t> inner_;
  std::size_t row_values_ = 1;
  std::uint64_t values_ = 0;
  std::vector<float> buffer_;
  OutputFile file_;
};

}  // namespace markeval::vectors
