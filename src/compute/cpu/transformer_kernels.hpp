// The inner loops of the transformer operations, compiled once per instruction set (transformer_kernels.cpp
// and attention_kernel.cpp) and called by transformer_operations.cpp, which does the checking and the
// threading.
#pragma once

#include <cstddef>
#include <cstdint>

namespace markeval::compute::cpu {

/// One head of one sequence: `length` rows of `width` numbers each.
struct AttentionTask {
  const float* query;
  const float* key;
  const float* value;
  float* out;
  std::size_t query_stride, key_stride, value_stride, out_stride;
  std::size_t length, width;
  float scale;
  /// Added to the score of (query i, key j): bias[j - i]; or null.
  const float* bias;
  /// DeBERTa's position tables, this head's columns; or null.
  const float* position_key;
  const float* position_query;
  std::size_t position_key_stride, position_query_stride;
  const std::int32_t* bucket;  ///< bucket[i - j], non-decreasing
  /// Query i sees the keys j with |i - j| <= reach. Less than the whole sequence: bias and bucket are null.
  std::size_t reach;
};

struct TransformerKernels {
  void (*layer_norm)(const float* in, const float* gain, const float* bias, float epsilon,
                     std::size_t columns, float* out);
  /// out = a + b + c; b and c may be null.
  void (*sum_rows)(const float* a, const float* b, const float* c, std::size_t columns, float* out);
  /// a[i] *= b[i].
  void (*multiply_rows)(float* a, const float* b, std::size_t columns);
  /// The points (first[j], second[j]), each turned by its own angle.
  void (*rotate)(const float* cosines, const float* sines, std::size_t points, float* first, float* second);
  /// Floats of scratch `attention` needs; 64-byte aligned.
  std::size_t (*attention_scratch)(const AttentionTask& task);
  void (*attention)(const AttentionTask& task, float* scratch);
  void (*gelu_tanh)(float* values, std::size_t count);
  void (*silu)(float* values, std::size_t count);
  void (*tanh)(float* values, std::size_t count);
  /// For the tests of its error.
  void (*exponential)(float* values, std::size_t count);
};

namespace portable {
const TransformerKernels& transformer_kernels();
void attention(const AttentionTask& task, float* scratch);
std::size_t attention_scratch(const AttentionTask& task);
}  // namespace portable
namespace portable_fma {
const TransformerKernels& transformer_kernels();
void attention(const AttentionTask& task, float* scratch);
std::size_t attention_scratch(const AttentionTask& task);
}  // namespace portable_fma
namespace neon {
const TransformerKernels& transformer_kernels();
void attention(const AttentionTask& task, float* scratch);
std::size_t attention_scratch(const AttentionTask& task);
}  // namespace neon
namespace avx2 {
const TransformerKernels& transformer_kernels();
void attention(const AttentionTask& task, float* scratch);
std::size_t attention_scratch(const AttentionTask& task);
}  // namespace avx2
namespace avx512 {
const TransformerKernels& transformer_kernels();
void attention(const AttentionTask& task, float* scratch);
std::size_t attention_scratch(const AttentionTask& task);
}  // namespace avx512

}  // namespace markeval::compute::cpu
