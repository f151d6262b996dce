// Device::match_rows on the CPU. The matrices of one pair of texts are too small for the packed kernels, and
// there are thousands of them: each pair is done by one thread.
//
// What must hold: a sum has the same bits on every machine. It is kept in sixteen running sums, which any
// vector unit can hold, and they are added in halves.
#include "compute/cpu/row_matching.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace markeval::compute::cpu {
namespace {

constexpr std::size_t kLanes =
    16;  ///< partial sums per product: enough for any vector unit, and part of the result
constexpr std::size_t kColumns = 4;  ///< products that share the loads of one row

float sum_of(const float* lanes) {
  float sums[kLanes];
  for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] = lanes[lane];
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  }
  return sums[0];
}

/// The squared distances of one row to `Count` others.
template <std::size_t Count>
void row_distances(const float* a, const float* b, std::size_t stride, std::size_t width, float* out) {
  float lanes[Count][kLanes] = {};
  const auto add = [](float& lane, float x, float y) { lane += (x - y) * (x - y); };
  std::size_t at = 0;
  for (; at + kLanes <= width; at += kLanes) {
    for (std::size_t other = 0; other < Count; ++other) {
      const float* values = b + other * stride + at;
      for (std::size_t lane = 0; lane < kLanes; ++lane) add(lanes[other][lane], a[at + lane], values[lane]);
    }
  }
  for (std::size_t other = 0; other < Count; ++other) {
    for (std::size_t rest = at; rest < width; ++rest)
      add(lanes[other][rest - at], a[rest], b[other * stride + rest]);
    out[other] = sum_of(lanes[other]);
  }
}

/// Whether a row is all zeros; every other row has length 1.
bool is_zero(std::span<const float> row) {
  return std::all_of(row.begin(), row.end(), [](float value) { return value == 0; });
}

void squared_distances(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out) {
  for (std::size_t row = 0; row < a.rows(); ++row) {
    const float* values = a.row(row).data();
    float* distances = out.row(row).data();
    std::size_t column = 0;
    for (; column + kColumns <= b.rows(); column += kColumns) {
      row_distances<kColumns>(values, b.data() + column * b.stride(), b.stride(), a.columns(),
                              distances + column);
    }
    for (; column < b.rows(); ++column) {
      row_distances<1>(values, b.data() + column * b.stride(), b.stride(), a.columns(), distances + column);
    }
  }
}

void cosines(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out) {
  squared_distances(a, b, out);
  for (std::size_t row = 0; row < a.rows(); ++row) {
    for (float& value : out.row(row)) value = std::max(-1.0f, 1 - value / 2);
    if (is_zero(a.row(row))) std::fill_n(out.row(row).data(), b.rows(), 0.0f);
  }
  for (std::size_t column = 0; column < b.rows(); ++column) {
    if (!is_zero(b.row(column))) continue;
    for (std::size_t row = 0; row < a.rows(); ++row) out(row, column) = 0;
  }
}

void inner_products(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out) {
  for (std::size_t row = 0; row < a.rows(); ++row) {
    const float* values = a.row(row).data();
    for (std::size_t first = 0; first < b.rows(); first += kColumns) {
      // Several sums at a time, as each waits for its last step. The last ones are computed again at the end.
      float sums[kColumns] = {};
      const float* others[kColumns];
      for (std::size_t other = 0; other < kColumns; ++other)
        others[other] = b.row(std::min(first + other, b.rows() - 1)).data();
      for (std::size_t column = 0; column < a.columns(); ++column) {
        for (std::size_t other = 0; other < kColumns; ++other)
          sums[other] = std::fma(values[column], others[other][column], sums[other]);
      }
      std::copy_n(sums, std::min(kColumns, b.rows() - first), out.row(row).data() + first);
    }
  }
}

}  // namespace

void match_rows(RowRelation relation, std::span<const RowMatch> matches, ThreadPool& pool) {
  pool.for_each(matches.size(), [&](std::size_t index, std::size_t) {
    const auto& [first, second, out] = matches[index];
    assert(first.columns() == second.columns());
    assert(out.rows() == first.rows() && out.columns() == second.rows());
    switch (relation) {
      case RowRelation::squared_distance:
        return squared_distances(first, second, out);
      case RowRelation::cosine:
        return cosines(first, second, out);
      case RowRelation::inner_product:
        return inner_products(first, second, out);
    }
  });
}

}  // namespace markeval::compute::cpu
