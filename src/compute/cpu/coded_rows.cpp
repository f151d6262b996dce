#include "compute/cpu/coded_rows.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "compute/cpu/scratch.hpp"

namespace markeval::compute::cpu {
namespace {

// Query panels that meet one base panel while it is in the first cache; their own codes stay in the second.
constexpr std::size_t kQueryBlockRows = 288;  // a multiple of every kernel's rows

struct Selection {
  std::span<CodedPair> found;
  std::size_t count = 0;

  void add(std::size_t query, std::size_t base, float squared_distance) {
    if (count < found.size()) {
      found[count] = {static_cast<std::uint32_t>(query), static_cast<std::uint32_t>(base), squared_distance};
    }
    ++count;
  }
};

}  // namespace

CpuCodedRows::CpuCodedRows(MatrixView<const std::int8_t> codes, std::span<const float> scale,
                           std::span<const float> squared_norm, const CodeKernel& kernel, ThreadPool& pool)
    : kernel_(kernel),
      rows_(codes.rows()),
      columns_(codes.columns()),
      padded_columns_(round_up(columns_, kernel.depth)),
      row_stride_(round_up(columns_, kRowPadding)),
      base_panel_bytes_(round_up(padded_columns_ * kernel.base.rows * kernel.base_bytes, 64) +
                        kernel.base_extra_bytes),
      query_panel_bytes_(round_up(padded_columns_ * kernel.query.rows * kernel.query_bytes, 64)),
      codes_(rows_ * row_stride_),
      base_panels_(round_up(rows_, kernel.base.rows) / kernel.base.rows * base_panel_bytes_),
      query_panels_(round_up(rows_, kernel.query.rows) / kernel.query.rows * query_panel_bytes_),
      scale_(round_up(rows_, kernel.base.rows), 0),
      squared_norm_(round_up(rows_, kernel.base.rows), 0) {
  assert(columns_ <= kMaxCodedColumns && scale.size() == rows_ && squared_norm.size() == rows_);
  std::copy(scale.begin(), scale.end(), scale_.begin());
  std::copy(squared_norm.begin(), squared_norm.end(), squared_norm_.begin());
  pool.for_each(round_up(rows_, kQueryBlockRows) / kQueryBlockRows, [&](std::size_t block, std::size_t) {
    const std::size_t end = std::min(rows_, (block + 1) * kQueryBlockRows);
    for (std::size_t i = block * kQueryBlockRows; i < end; ++i) {
      std::memcpy(codes_.data() + i * row_stride_, codes.row(i).data(), columns_);
      std::memset(codes_.data() + i * row_stride_ + columns_, 0, row_stride_ - columns_);
    }
  });
  pool.for_each(round_up(rows_, kernel_.base.rows) / kernel_.base.rows, [&](std::size_t index, std::size_t) {
    const std::size_t first = index * kernel_.base.rows;
    kernel_.pack_base(row(first), row_stride_, std::min(kernel_.base.rows, rows_ - first), columns_,
                      padded_columns_, base_panels_.data() + index * base_panel_bytes_);
  });
  pool.for_each(
      round_up(rows_, kernel_.query.rows) / kernel_.query.rows, [&](std::size_t index, std::size_t) {
        const std::size_t first = index * kernel_.query.rows;
        kernel_.pack_query(row(first), row_stride_, std::min(kernel_.query.rows, rows_ - first), columns_,
                           padded_columns_, query_panels_.data() + index * query_panel_bytes_);
      });
}

std::size_t select_pairs(const CpuCodedRows& query, const CpuCodedRows& base, const Tile& tile,
                         const float* query_limit, const float* base_limit, std::span<CodedPair> found,
                         const PairKernels& kernels) {
  assert(query.columns() == base.columns() && &query.kernel() == &base.kernel());
  assert(tile.query_end <= query.rows() && tile.base_end <= base.rows());
  Selection selection{found};
  if (tile.pairs() == 0) return 0;
  const CodeKernel& kernel = query.kernel();
  const std::size_t query_rows = kernel.query.rows, base_rows = kernel.base.rows;
  const std::size_t query_panel_bytes = query.query_panel_bytes();
  const std::size_t first_panel = tile.base_begin / base_rows;
  const std::size_t end_panel = (tile.base_end + base_rows - 1) / base_rows;

  thread_local Scratch query_scratch, limit_scratch, tile_scratch;
  // Limits of whole panels; those outside the tile are never looked at.
  float* const base_limits = limit_scratch.get<float>((end_panel - first_panel) * base_rows);
  std::fill(base_limits, base_limits + (end_panel - first_panel) * base_rows, 0.0f);
  std::copy(base_limit + tile.base_begin, base_limit + tile.base_end,
            base_limits + (tile.base_begin - first_panel * base_rows));
  // Tiles that begin inside a panel (nobody's hot path) pack their queries anew.
  const bool aligned = tile.query_begin % query_rows == 0;
  std::int32_t* const values = tile_scratch.get<std::int32_t>(query_rows * base_rows);
  std::uint8_t row_has_hit[64];
  assert(query_rows <= sizeof row_has_hit && kQueryBlockRows % query_rows == 0);

  if (kernel.begin != nullptr) kernel.begin();
  for (std::size_t block = tile.query_begin; block < tile.query_end; block += kQueryBlockRows) {
    const std::size_t block_end = std::min(block + kQueryBlockRows, tile.query_end);
    const std::byte* query_panels = query.query_panel(block / query_rows);
    if (!aligned) {
      std::byte* const packed =
          query_scratch.get<std::byte>(kQueryBlockRows / query_rows * query_panel_bytes);
      for (std::size_t row = block; row < block_end; row += query_rows) {
        kernel.pack_query(query.row(row), query.row_stride(), std::min(query_rows, block_end - row),
                          query.columns(), query.padded_columns(),
                          packed + (row - block) / query_rows * query_panel_bytes);
      }
      query_panels = packed;
    }
    for (std::size_t panel = first_panel; panel < end_panel; ++panel) {
      const std::size_t base_row = panel * base_rows;
      const std::size_t begin = std::max(base_row, tile.base_begin),
                        end = std::min(base_row + base_rows, tile.base_end);
      const CodedSide base_side{base.scale() + base_row, base.squared_norm() + base_row,
                                base_limits + (base_row - first_panel * base_rows)};
      for (std::size_t row = block; row < block_end; row += query_rows) {
        const std::size_t count = std::min(query_rows, block_end - row);
        kernel.multiply(query_panels + (row - block) / query_rows * query_panel_bytes, base.base_panel(panel),
                        query.padded_columns(), values);
        const CodedSide query_side{query.scale() + row, query.squared_norm() + row, query_limit + row};
        if (!kernels.distances(values, base_rows, count, query_side, base_side, row_has_hit)) continue;
        for (std::size_t i = 0; i < count; ++i) {
          if (row_has_hit[i] == 0) continue;
          for (std::size_t j = begin; j < end; ++j) {
            float squared_distance;
            std::memcpy(&squared_distance, values + i * base_rows + (j - base_row), sizeof squared_distance);
            if (squared_distance <= std::max(query_side.limit[i], base_side.limit[j - base_row])) {
              selection.add(row + i, j, squared_distance);
            }
          }
        }
      }
    }
  }
  if (kernel.end != nullptr) kernel.end();
  return selection.count;
}

void measure_pairs(const CpuCodedRows& query, const CpuCodedRows& base, std::span<CodedPair> pairs,
                   const PairKernels& kernels) {
  assert(query.columns() == base.columns());
  for (CodedPair& pair : pairs) {
    const float product =
        static_cast<float>(kernels.dot(query.row(pair.query), base.row(pair.base), query.row_stride()));
    pair.squared_distance = (query.squared_norm()[pair.query] + base.squared_norm()[pair.base]) -
                            2 * query.scale()[pair.query] * base.scale()[pair.base] * product;
  }
}

}  // namespace markeval::compute::cpu
