// Softmax attention of one head over one sequence, four query rows at a time: scores, softmax and the
// weighted sum of the values stay in the first-level cache. Compiled once per instruction set: see
// cmake/isa.cmake.
//
// Every number of the output is a sum in a fixed order over the keys of its own sequence, so it does not
// matter which rows share a block of four or what else is in the batch.
#include "compute/cpu/transformer_kernels.hpp"
#include "compute/cpu/vector_math.hpp"

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

constexpr std::size_t kRows = 4;     // of the query, at a time
constexpr std::size_t kVectors = 4;  // of output columns, at a time

inline std::size_t padded_to_lanes(std::size_t count) {
  return (count + kLanes - 1) / kLanes * kLanes;
}

// Rows of a matrix, `stride` numbers apart.
template <typename T>
struct RowsOf {
  T* data;
  std::size_t stride;
  T* at(std::size_t row) const { return data + row * stride; }
  RowsOf from_column(std::size_t column) const { return {data + column, stride}; }
};
using InputRows = RowsOf<const float>;
using OutputRows = RowsOf<float>;

// c[row][column] = scale * sum over k of a[row][k] * b[k][column], for `rows` <= kRows and `vectors` <=
// kVectors.
template <std::size_t rows, std::size_t vectors>
inline void tile(InputRows a, InputRows b, std::size_t depth, float scale, OutputRows c) {
  Floats sums[rows][vectors];
  // GCC 12 keeps the sums in memory unless every loop over them is unrolled.
#pragma GCC unroll 4
  for (std::size_t row = 0; row < rows; ++row) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) sums[row][v] = Floats{};
  }
  for (std::size_t k = 0; k < depth; ++k) {
    Floats right[vectors];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) right[v] = load(b.at(k) + v * kLanes);
#pragma GCC unroll 4
    for (std::size_t row = 0; row < rows; ++row) {
      const Floats left = splat(a.at(row)[k]);
#pragma GCC unroll 4
      for (std::size_t v = 0; v < vectors; ++v) sums[row][v] = fused(left, right[v], sums[row][v]);
    }
  }
#pragma GCC unroll 4
  for (std::size_t row = 0; row < rows; ++row) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) store(c.at(row) + v * kLanes, sums[row][v] * splat(scale));
  }
}

template <std::size_t rows>
void multiply_rows(InputRows a, InputRows b, std::size_t depth, std::size_t columns, float scale,
                   OutputRows c) {
  std::size_t column = 0;
  for (; column + kVectors * kLanes <= columns; column += kVectors * kLanes)
    tile<rows, kVectors>(a, b.from_column(column), depth, scale, c.from_column(column));
  switch ((columns - column) / kLanes) {
    case 3:
      return tile<rows, 3>(a, b.from_column(column), depth, scale, c.from_column(column));
    case 2:
      return tile<rows, 2>(a, b.from_column(column), depth, scale, c.from_column(column));
    case 1:
      return tile<rows, 1>(a, b.from_column(column), depth, scale, c.from_column(column));
    default:
      return;
  }
}

// At most kRows rows of `a` times `b`, whose columns are padded to whole vectors.
void multiply(InputRows a, std::size_t rows, InputRows b, std::size_t depth, std::size_t columns, float scale,
              OutputRows c) {
  switch (rows) {
    case 4:
      return multiply_rows<4>(a, b, depth, columns, scale, c);
    case 3:
      return multiply_rows<3>(a, b, depth, columns, scale, c);
    case 2:
      return multiply_rows<2>(a, b, depth, columns, scale, c);
    default:
      return multiply_rows<1>(a, b, depth, columns, scale, c);
  }
}

typedef float Four __attribute__((vector_size(16)));

inline Four load_four(const float* from) {
  Four result;
  __builtin_memcpy(&result, from, sizeof result);
  return result;
}
inline void store_four(float* to, Four value) {
  __builtin_memcpy(to, &value, sizeof value);
}

// Four columns of four rows.
inline void transpose_four(const float* from, std::size_t stride, float* to, std::size_t to_stride) {
  const Four a = load_four(from), b = load_four(from + stride);
  const Four c = load_four(from + 2 * stride), d = load_four(from + 3 * stride);
  const Four ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const Four ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Four cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Four cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  store_four(to, __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5));
  store_four(to + to_stride, __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7));
  store_four(to + 2 * to_stride, __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5));
  store_four(to + 3 * to_stride, __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7));
}

// to[column][row] = from[row][column], rows padded with zeros to whole vectors.
void transpose(const float* from, std::size_t stride, std::size_t rows, std::size_t columns, float* to) {
  const std::size_t padded = padded_to_lanes(rows);
  const std::size_t whole_rows = rows / 4 * 4, whole_columns = columns / 4 * 4;
  for (std::size_t row = 0; row < whole_rows; row += 4) {
    for (std::size_t column = 0; column < whole_columns; column += 4) {
      transpose_four(from + row * stride + column, stride, to + column * padded + row, padded);
    }
    for (std::size_t column = whole_columns; column < columns; ++column) {
      for (std::size_t r = row; r < row + 4; ++r) to[column * padded + r] = from[r * stride + column];
    }
  }
  for (std::size_t column = 0; column < columns; ++column) {
    float* const mine = to + column * padded;
    for (std::size_t row = whole_rows; row < rows; ++row) mine[row] = from[row * stride + column];
    for (std::size_t row = rows; row < padded; ++row) mine[row] = 0;
  }
}

// out = factor * in
inline void scale_row(const float* in, float factor, std::size_t columns, float* out) {
  std::size_t column = 0;
  for (; column + kLanes <= columns; column += kLanes) store(out + column, load(in + column) * splat(factor));
  for (; column < columns; ++column) out[column] = in[column] * factor;
}

// scores -> e^(score - maximum), zero in the padding; returns the sum.
float exponentials(float* scores, std::size_t length, std::size_t padded) {
  for (std::size_t key = length; key < padded; ++key) scores[key] = -__builtin_inff();
  Floats highest = load(scores);
  for (std::size_t key = kLanes; key < padded; key += kLanes) highest = maximum(highest, load(scores + key));
  const Floats shift = splat(maximum_of_lanes(highest));
  RunningSums sums;
  const auto add = [&](std::size_t key, Floats& sum) {
    const Floats power = exponential(load(scores + key) - shift);
    store(scores + key, power);
    sum += power;
  };
  std::size_t key = 0;
  for (; key + kSums <= padded; key += kSums) {
#pragma GCC unroll 4
    for (std::size_t part = 0; part < kSumParts; ++part) add(key + part * kLanes, sums.part[part]);
  }
#pragma GCC unroll 4
  for (std::size_t part = 0; part < kSumParts; ++part, key += kLanes) {
    if (key < padded) add(key, sums.part[part]);
  }
  return total(sums);
}

// Where everything lies in the scratch space.
struct AttentionScratch {
  std::size_t keys, columns, buckets;  // padded to whole vectors
  std::int32_t first_bucket;
  std::size_t transposed_keys, values, scores, sums, position_keys, position_queries, from_content,
      to_content, total;
};

AttentionScratch layout(const AttentionTask& task) {
  AttentionScratch result{};
  result.keys = padded_to_lanes(task.length);
  result.columns = padded_to_lanes(task.width);
  result.values = task.width * result.keys;
  result.scores = result.values + task.length * result.columns;
  result.sums = result.scores + kRows * result.keys;
  result.position_keys = result.sums + kRows * result.columns;
  result.total = result.position_keys;
  if (task.bucket != nullptr) {
    const auto reach = static_cast<std::ptrdiff_t>(task.length) - 1;
    result.first_bucket = task.bucket[-reach];
    result.buckets = padded_to_lanes(static_cast<std::size_t>(task.bucket[reach] - result.first_bucket) + 1);
    result.position_queries = result.position_keys + task.width * result.buckets;
    result.from_content = result.position_queries + task.width * result.buckets;
    result.to_content = result.from_content + kRows * result.buckets;
    result.total = result.to_content + task.length * result.buckets;
  }
  return result;
}

// The two position tables transposed, and every key times every position query.
void prepare_positions(const AttentionTask& task, const AttentionScratch& at, float* scratch) {
  const auto reach = static_cast<std::ptrdiff_t>(task.length) - 1;
  const std::size_t rows = static_cast<std::size_t>(task.bucket[reach] - at.first_bucket) + 1;
  const auto first = static_cast<std::size_t>(at.first_bucket);
  if (task.position_key != nullptr) {
    transpose(task.position_key + first * task.position_key_stride, task.position_key_stride, rows,
              task.width, scratch + at.position_keys);
  }
  if (task.position_query == nullptr) return;
  transpose(task.position_query + first * task.position_query_stride, task.position_query_stride, rows,
            task.width, scratch + at.position_queries);
  for (std::size_t key = 0; key < task.length; key += kRows) {
    const std::size_t count = task.length - key < kRows ? task.length - key : kRows;
    multiply({task.key + key * task.key_stride, task.key_stride}, count,
             {scratch + at.position_queries, at.buckets}, task.width, at.buckets, task.scale,
             {scratch + at.to_content + key * at.buckets, at.buckets});
  }
}

void add_positions(const AttentionTask& task, const AttentionScratch& at, std::size_t query,
                   std::size_t count, float* scratch) {
  if (task.position_key != nullptr) {
    multiply({task.query + query * task.query_stride, task.query_stride}, count,
             {scratch + at.position_keys, at.buckets}, task.width, at.buckets, task.scale,
             {scratch + at.from_content, at.buckets});
  }
  for (std::size_t row = 0; row < count; ++row) {
    float* const scores = scratch + at.scores + row * at.keys;
    const std::int32_t* const bucket = task.bucket + (query + row);
    for (std::size_t key = 0; key < task.length; ++key) {
      const auto relative =
          static_cast<std::size_t>(bucket[-static_cast<std::ptrdiff_t>(key)] - at.first_bucket);
      if (task.position_key != nullptr) scores[key] += scratch[at.from_content + row * at.buckets + relative];
      if (task.position_query != nullptr) scores[key] += scratch[at.to_content + key * at.buckets + relative];
    }
  }
}

}  // namespace

std::size_t attention_scratch(const AttentionTask& task) {
  return layout(task).total;
}

namespace {

// Keys [begin, end) that some query of a block sees.
struct SeenKeys {
  std::size_t begin, end;
};

// The first key is a multiple of kSums, so every key goes to the running sum it would go to if all were
// looked at: the bits do not depend on which queries share a block.
SeenKeys seen_keys(const AttentionTask& task, std::size_t query, std::size_t count) {
  if (task.reach >= task.length) return {0, task.length};
  const std::size_t first = query > task.reach ? query - task.reach : 0;
  const std::size_t end = query + count + task.reach;
  return {first / kSums * kSums, end < task.length ? end : task.length};
}

// scores[i] belongs to key seen.begin + i. What the query does not see has no weight.
void hide_far_keys(const AttentionTask& task, std::size_t query, const SeenKeys& seen, float* scores) {
  if (task.reach >= task.length) return;
  for (std::size_t key = seen.begin; key + task.reach < query; ++key)
    scores[key - seen.begin] = -__builtin_inff();
  for (std::size_t key = query + task.reach + 1; key < seen.end; ++key)
    scores[key - seen.begin] = -__builtin_inff();
}

}  // namespace

void attention(const AttentionTask& task, float* scratch) {
  const AttentionScratch at = layout(task);
  transpose(task.key, task.key_stride, task.length, task.width, scratch);
  for (std::size_t key = 0; key < task.length; ++key) {
    float* const value = scratch + at.values + key * at.columns;
    scale_row(task.value + key * task.value_stride, 1, task.width, value);
    for (std::size_t column = task.width; column < at.columns; ++column) value[column] = 0;
  }
  if (task.bucket != nullptr) prepare_positions(task, at, scratch);
  for (std::size_t query = 0; query < task.length; query += kRows) {
    const std::size_t count = task.length - query < kRows ? task.length - query : kRows;
    float* const scores = scratch + at.scores;
    const SeenKeys seen = seen_keys(task, query, count);
    const std::size_t keys = seen.end - seen.begin, padded_keys = padded_to_lanes(keys);
    multiply({task.query + query * task.query_stride, task.query_stride}, count,
             {scratch + seen.begin, at.keys}, task.width, padded_keys, task.scale, {scores, at.keys});
    if (task.bucket != nullptr) add_positions(task, at, query, count, scratch);
    float total[kRows];
    for (std::size_t row = 0; row < count; ++row) {
      float* const mine = scores + row * at.keys;
      if (task.bias != nullptr) {
        const float* const bias = task.bias - (query + row);
        for (std::size_t key = 0; key < task.length; ++key) mine[key] += bias[key];
      }
      hide_far_keys(task, query + row, seen, mine);
      total[row] = exponentials(mine, keys, padded_keys);
    }
    float* const sums = scratch + at.sums;
    multiply({scores, at.keys}, count, {scratch + at.values + seen.begin * at.columns, at.columns}, keys,
             at.columns, 1, {sums, at.columns});
    for (std::size_t row = 0; row < count; ++row) {
      scale_row(sums + row * at.columns, 1 / total[row], task.width,
                task.out + (query + row) * task.out_stride);
    }
  }
}

}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
