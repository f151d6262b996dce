// A .npy file written row by row: how many there are is known only at the end, so the header's place is kept
// free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/output_file.hpp"

namespace markeval::vectors {

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
