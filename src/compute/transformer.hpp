// What a transformer encoder needs besides matrix products: embedding, layer norm, attention over each
// sequence of a packed batch alone, pooling. Part of a Device (`Device::transformer()`), under the same
// rules: data live in device memory, and the result for a row depends on its own sequence alone, not on its
// neighbours in the batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "compute/device.hpp"

namespace markeval::compute {

/// Which rows of a packed matrix belong together: sequence s is rows [starts[s], starts[s + 1]). Kept by the
/// device.
class Sequences {
 public:
  virtual ~Sequences() = default;
  virtual std::size_t count() const = 0;
  virtual std::size_t rows() const = 0;
};

/// y = (x - mean) / sqrt(variance + epsilon) * gain + bias, over each row.
struct LayerNorm {
  DeviceMatrix<const float> gain;  ///< 1 x columns
  DeviceMatrix<const float> bias;  ///< 1 x columns
  float epsilon = 0;
};

struct EmbeddingTables {
  DeviceMatrix<const float> words;      ///< vocabulary x columns
  DeviceMatrix<const float> positions;  ///< positions x columns, or empty
  DeviceMatrix<const float> type;       ///< 1 x columns, added to every token, or empty
};

/// Extra terms of an attention score by relative position, as MPNet and T5 have them.
struct RelativeBias {
  /// heads x (2 * reach + 1): column reach + (key - query) is added to the score. Sequences: at most reach +
  /// 1 rows.
  DeviceMatrix<const float> table;
};

/// DeBERTa's disentangled attention (He et al. 2021): with b = bucket(query - key), the score of a pair is
///   scale * (q . k + q . position_key[b] + position_query[b] . k).
struct DisentangledTerms {
  DeviceMatrix<const float> position_key;    ///< buckets x width, or empty (no content-to-position term)
  DeviceMatrix<const float> position_query;  ///< buckets x width, or empty (no position-to-content term)
  /// 1 x (2 * reach + 1): column reach + (query - key) is the bucket. Non-decreasing; sequences as above.
  DeviceMatrix<const std::int32_t> bucket;
};

/// The reach of attention that is not bounded.
inline constexpr std::size_t kWholeSequence = static_cast<std::size_t>(-1);

struct AttentionInputs {
  DeviceMatrix<const float> query, key, value;  ///< rows x width each; may be columns of one matrix
  std::size_t heads = 1;
  float scale = 1;
  RelativeBias bias;               ///< empty table: none
  DisentangledTerms disentangled;  ///< empty bucket table: none
  /// A query sees the keys at most so many rows before and behind it. Only without the two terms above.
  std::size_t reach = kWholeSequence;
};

/// Rotary positions (Su et al. 2021): the numbers j and j + width / 2 of a head are the two coordinates of a
/// point, which is turned by an angle that depends on j and on the token's position.
struct Rotation {
  DeviceMatrix<const float> cosines;  ///< positions x width / 2
  DeviceMatrix<const float> sines;    ///< likewise
};

enum class Pooling { mean, cls, max };
/// The activations a matrix product does not apply itself. gelu_tanh is 0.5 x (1 + tanh(sqrt(2/pi)(x +
/// 0.044715 x^3))).
enum class Function { gelu_tanh, silu, tanh };

class TransformerOperations {
 public:
  virtual ~TransformerOperations() = default;

  /// `starts` has one entry per sequence and the total number of rows at the end; sequences are not empty.
  virtual std::unique_ptr<Sequences> pack_sequences(std::span<const std::size_t> starts) = 0;

  /// out[row] = norm(words[ids[row]] + tables.positions[positions[row]] + type); no norm without a gain.
  /// ids and positions: 1 x rows, inside their tables: the caller has checked.
  virtual void embed(DeviceMatrix<const std::int32_t> ids, DeviceMatrix<const std::int32_t> positions,
                     const EmbeddingTables& tables, const LayerNorm& norm, DeviceMatrix<float> out) = 0;
  /// `out` may be `in`.
  virtual void layer_norm(DeviceMatrix<const float> in, const LayerNorm& norm, DeviceMatrix<float> out) = 0;
  /// Softmax attention of every row over the rows of its own sequence. out: rows x width, not overlapping the
  /// inputs.
  virtual void attention(const Sequences& sequences, const AttentionInputs& inputs,
                         DeviceMatrix<float> out) = 0;
  /// In place: (a, b) -> (a cos - b sin, b cos + a sin). `values`: rows x (heads of an even width);
  /// positions: 1 x rows, inside the table.
  virtual void rotate(DeviceMatrix<const std::int32_t> positions, const Rotation& rotation,
                      DeviceMatrix<float> values) = 0;
  virtual void apply(Function function, DeviceMatrix<float> values) = 0;
  /// a += b.
  virtual void add(DeviceMatrix<float> a, DeviceMatrix<const float> b) = 0;
  /// a *= b, number by number.
  virtual void gate(DeviceMatrix<float> a, DeviceMatrix<const float> b) = 0;
  /// out[row] = the rows row - reach .. row + reach of its sequence side by side, zero beyond its ends.
  virtual void unfold(const Sequences& sequences, DeviceMatrix<const float> in, std::size_t reach,
                      DeviceMatrix<float> out) = 0;
  /// out: count x columns.
  virtual void pool(const Sequences& sequences, DeviceMatrix<const float> in, Pooling pooling,
                    DeviceMatrix<float> out) = 0;
  /// Rows to length 1, as v / max(|v|, 1e-12).
  virtual void normalize_rows(DeviceMatrix<float> rows) = 0;
  /// Per row: 1 where all of its numbers are finite.
  virtual std::vector<std::uint8_t> finite_rows(DeviceMatrix<const float> rows) = 0;
  virtual void copy(DeviceMatrix<const float> from, DeviceMatrix<float> to) = 0;
  /// out[i] = in[indices[i]]; indices: 1 x n.
  virtual void gather_rows(DeviceMatrix<const float> in, DeviceMatrix<const std::int32_t> indices,
                           DeviceMatrix<float> out) = 0;
};

}  // namespace markeval::compute
