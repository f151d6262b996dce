// Everything around the kernels of transformer_kernels.hpp: checks of shapes, the cut into tasks, and the
// loops that are not worth a kernel. What must hold: a task is a row, or a head of a sequence, so no result
// depends on what else is in the batch.
#include "compute/cpu/transformer_operations.hpp"
#include "compute/cpu/scratch.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/finite.hpp"
#include "compute/cpu/host_memory.hpp"
#include "compute/cpu/transformer_kernels.hpp"

namespace markeval::compute::cpu {
namespace {

constexpr std::size_t kRowsPerItem = 32;  // enough work to be worth a turn at the queue

class CpuSequences final : public Sequences {
 public:
  explicit CpuSequences(std::span<const std::size_t> starts) : starts_(starts.begin(), starts.end()) {
    assert(!starts_.empty());
  }
  std::size_t count() const override { return starts_.size() - 1; }
  std::size_t rows() const override { return starts_.back(); }
  std::size_t begin(std::size_t sequence) const { return starts_[sequence]; }
  std::size_t length(std::size_t sequence) const { return starts_[sequence + 1] - starts_[sequence]; }

 private:
  std::vector<std::size_t> starts_;
};

const CpuSequences& cpu(const Sequences& sequences) {
  return static_cast<const CpuSequences&>(sequences);
}

template <typename T>
T* pointer(DeviceMatrix<T> matrix) {
  return host_view(matrix).data();
}
template <typename T>
T* row_pointer(DeviceMatrix<T> matrix, std::size_t row) {
  return pointer(matrix) + row * matrix.stride;
}

class CpuTransformer final : public TransformerOperations {
 public:
  CpuTransformer(ThreadPool& pool, Isa isa) : pool_(pool), kernels_(transformer_kernels_for(isa)) {}

  std::unique_ptr<Sequences> pack_sequences(std::span<const std::size_t> starts) override {
    return std::make_unique<CpuSequences>(starts);
  }

  void embed(DeviceMatrix<const std::int32_t> ids, DeviceMatrix<const std::int32_t> positions,
             const EmbeddingTables& tables, const LayerNorm& norm, DeviceMatrix<float> out) override {
    assert(ids.columns == out.rows && positions.columns == out.rows && out.columns == tables.words.columns);
    const float* const type = tables.type.storage == nullptr ? nullptr : pointer(tables.type);
    for_rows(out.rows, [&](std::size_t row) {
      const auto id = static_cast<std::size_t>(pointer(ids)[row]);
      assert(id < tables.words.rows);
      const float* position = nullptr;
      if (tables.positions.storage != nullptr) {
        const auto position_row = static_cast<std::size_t>(pointer(positions)[row]);
        assert(position_row < tables.positions.rows);
        position = row_pointer(tables.positions, position_row);
      }
      float* const sum = row_pointer(out, row);
      kernels_.sum_rows(row_pointer(tables.words, id), position, type, out.columns, sum);
      if (norm.gain.storage != nullptr) norm_row(sum, norm, out.columns, sum);
    });
  }

  void layer_norm(DeviceMatrix<const float> in, const LayerNorm& norm, DeviceMatrix<float> out) override {
    assert(in.rows == out.rows && in.columns == out.columns && norm.gain.columns == in.columns);
    for_rows(in.rows, [&](std::size_t row) {
      norm_row(row_pointer(in, row), norm, in.columns, row_pointer(out, row));
    });
  }

  void attention(const Sequences& sequences, const AttentionInputs& inputs,
                 DeviceMatrix<float> out) override {
    const CpuSequences& batch = cpu(sequences);
    assert(out.rows == batch.rows() && inputs.query.rows == out.rows && out.columns % inputs.heads == 0);
    assert(inputs.reach == kWholeSequence ||
           (inputs.bias.table.storage == nullptr && inputs.disentangled.bucket.storage == nullptr));
    pool_.for_each(batch.count() * inputs.heads, [&](std::size_t item, std::size_t) {
      const std::size_t sequence = item / inputs.heads;
      const AttentionTask task =
          head_task(inputs, out, batch.begin(sequence), batch.length(sequence), item % inputs.heads);
      thread_local ScratchBuffer scratch;
      kernels_.attention(task, scratch.get<float>(kernels_.attention_scratch(task)));
    });
  }

  void rotate(DeviceMatrix<const std::int32_t> positions, const Rotation& rotation,
              DeviceMatrix<float> values) override {
    const std::size_t points = rotation.cosines.columns, width = 2 * points;
    assert(positions.columns == values.rows && rotation.sines.columns == points);
    assert(width > 0 && values.columns % width == 0);
    for_rows(values.rows, [&](std::size_t row) {
      const auto position = static_cast<std::size_t>(pointer(positions)[row]);
      assert(position < rotation.cosines.rows && position < rotation.sines.rows);
      for (std::size_t column = 0; column < values.columns; column += width) {
        float* const head = row_pointer(values, row) + column;
        kernels_.rotate(row_pointer(rotation.cosines, position), row_pointer(rotation.sines, position),
                        points, head, head + points);
      }
    });
  }

  void apply(Function function, DeviceMatrix<float> values) override {
    const auto kernel = function == Function::gelu_tanh ? kernels_.gelu_tanh
                        : function == Function::silu    ? kernels_.silu
                                                        : kernels_.tanh;
    for_rows(values.rows, [&](std::size_t row) { kernel(row_pointer(values, row), values.columns); });
  }

  void add(DeviceMatrix<float> a, DeviceMatrix<const float> b) override {
    assert(a.rows == b.rows && a.columns == b.columns);
    for_rows(a.rows, [&](std::size_t row) {
      kernels_.sum_rows(row_pointer(a, row), row_pointer(b, row), nullptr, a.columns, row_pointer(a, row));
    });
  }

  void gate(DeviceMatrix<float> a, DeviceMatrix<const float> b) override {
    assert(a.rows == b.rows && a.columns == b.columns);
    for_rows(a.rows, [&](std::size_t row) {
      kernels_.multiply_rows(row_pointer(a, row), row_pointer(b, row), a.columns);
    });
  }

  void unfold(const Sequences& sequences, DeviceMatrix<const float> in, std::size_t reach,
              DeviceMatrix<float> out) override {
    const CpuSequences& batch = cpu(sequences);
    assert(out.columns == (2 * reach + 1) * in.columns && out.rows == in.rows);
    pool_.for_each(batch.count(), [&](std::size_t sequence, std::size_t) {
      const std::size_t begin = batch.begin(sequence), end = begin + batch.length(sequence);
      for (std::size_t row = begin; row < end; ++row) {
        for (std::size_t part = 0; part <= 2 * reach; ++part) {
          float* const to = row_pointer(out, row) + part * in.columns;
          const std::size_t source = row + part;  // shifted by reach, so that it cannot fall below zero
          if (source < begin + reach || source >= end + reach) {
            std::fill_n(to, in.columns, 0.0f);
          } else {
            std::copy_n(row_pointer(in, source - reach), in.columns, to);
          }
        }
      }
    });
  }

  void pool(const Sequences& sequences, DeviceMatrix<const float> in, Pooling pooling,
            DeviceMatrix<float> out) override {
    const CpuSequences& batch = cpu(sequences);
    assert(out.rows == batch.count() && out.columns == in.columns && in.rows == batch.rows());
    pool_.for_each(batch.count(), [&](std::size_t sequence, std::size_t) {
      const std::size_t begin = batch.begin(sequence), length = batch.length(sequence);
      float* const to = row_pointer(out, sequence);
      std::copy_n(row_pointer(in, begin), in.columns, to);
      if (pooling == Pooling::cls) return;
      for (std::size_t row = begin + 1; row < begin + length; ++row) {
        const float* const from = row_pointer(in, row);
        if (pooling == Pooling::max) {
          for (std::size_t column = 0; column < in.columns; ++column)
            to[column] = std::max(to[column], from[column]);
        } else {
          for (std::size_t column = 0; column < in.columns; ++column) to[column] += from[column];
        }
      }
      if (pooling == Pooling::mean) {
        for (std::size_t column = 0; column < in.columns; ++column) to[column] /= static_cast<float>(length);
      }
    });
  }

  void normalize_rows(DeviceMatrix<float> rows) override {
    for_rows(rows.rows, [&](std::size_t row) {
      float* const values = row_pointer(rows, row);
      double squares = 0;
      for (std::size_t column = 0; column < rows.columns; ++column) {
        squares += static_cast<double>(values[column]) * values[column];
      }
      const auto length = static_cast<float>(std::max(std::sqrt(squares), 1e-12));
      for (std::size_t column = 0; column < rows.columns; ++column) values[column] /= length;
    });
  }

  void copy(DeviceMatrix<const float> from, DeviceMatrix<float> to) override {
    assert(from.rows == to.rows && from.columns == to.columns);
    for_rows(to.rows,
             [&](std::size_t row) { std::copy_n(row_pointer(from, row), to.columns, row_pointer(to, row)); });
  }

  std::vector<std::uint8_t> finite_rows(DeviceMatrix<const float> rows) override {
    std::vector<std::uint8_t> finite(rows.rows);
    for_rows(rows.rows, [&](std::size_t row) {
      finite[row] = all_finite({row_pointer(rows, row), rows.columns}) ? 1 : 0;
    });
    return finite;
  }

  void gather_rows(DeviceMatrix<const float> in, DeviceMatrix<const std::int32_t> indices,
                   DeviceMatrix<float> out) override {
    assert(indices.columns == out.rows && in.columns == out.columns);
    const std::int32_t* const index = pointer(indices);
    for_rows(out.rows, [&](std::size_t row) {
      assert(static_cast<std::size_t>(index[row]) < in.rows);
      std::copy_n(row_pointer(in, static_cast<std::size_t>(index[row])), in.columns, row_pointer(out, row));
    });
  }

 private:
  void norm_row(const float* in, const LayerNorm& norm, std::size_t columns, float* out) const {
    kernels_.layer_norm(in, pointer(norm.gain), pointer(norm.bias), norm.epsilon, columns, out);
  }

  template <typename Body>
  void for_rows(std::size_t rows, const Body& body) {
    pool_.for_each((rows + kRowsPerItem - 1) / kRowsPerItem, [&](std::size_t item, std::size_t) {
      const std::size_t end = std::min(rows, (item + 1) * kRowsPerItem);
      for (std::size_t row = item * kRowsPerItem; row < end; ++row) body(row);
    });
  }

  static AttentionTask head_task(const AttentionInputs& inputs, DeviceMatrix<float> out, std::size_t begin,
                                 std::size_t length, std::size_t head) {
    const std::size_t width = out.columns / inputs.heads;
    const std::size_t column = head * width;
    AttentionTask task{};
    task.query = row_pointer(inputs.query, begin) + column;
    task.key = row_pointer(inputs.key, begin) + column;
    task.value = row_pointer(inputs.value, begin) + column;
    task.out = row_pointer(out, begin) + column;
    task.query_stride = inputs.query.stride;
    task.key_stride = inputs.key.stride;
    task.value_stride = inputs.value.stride;
    task.out_stride = out.stride;
    task.length = length;
    task.width = width;
    task.scale = inputs.scale;
    task.reach = inputs.reach;
    if (const DeviceMatrix<const float>& table = inputs.bias.table; table.storage != nullptr) {
      assert(length <= table.columns / 2 + 1);
      task.bias = row_pointer(table, head) + table.columns / 2;
    }
    const DisentangledTerms& terms = inputs.disentangled;
    if (terms.bucket.storage != nullptr) {
      assert(length <= terms.bucket.columns / 2 + 1);
      task.bucket = pointer(terms.bucket) + terms.bucket.columns / 2;
      task.position_key_stride = terms.position_key.stride;
      task.position_query_stride = terms.position_query.stride;
      if (terms.position_key.storage != nullptr) task.position_key = pointer(terms.position_key) + column;
      if (terms.position_query.storage != nullptr)
        task.position_query = pointer(terms.position_query) + column;
    }
    return task;
  }

  ThreadPool& pool_;
  const TransformerKernels& kernels_;
};

}  // namespace

const TransformerKernels& transformer_kernels_for([[maybe_unused]] Isa isa) {
#if defined(__x86_64__)
  if (isa >= Isa::avx512 && isa <= Isa::amx) return avx512::transformer_kernels();
  if (isa == Isa::avx2) return avx2::transformer_kernels();
  if (isa == Isa::portable_fma) return portable_fma::transformer_kernels();
#elif defined(__aarch64__)
  if (isa >= Isa::neon) return neon::transformer_kernels();
#endif
  return portable::transformer_kernels();
}

std::unique_ptr<TransformerOperations> make_cpu_transformer(ThreadPool& pool, Isa isa) {
  return std::make_unique<CpuTransformer>(pool, isa);
}

}  // namespace markeval::compute::cpu
