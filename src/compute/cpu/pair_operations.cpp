// One tile of the pair matrix: queries in blocks that stay in the second cache, each block against one panel
// of base rows after the other.
#include "compute/cpu/pair_operations.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

#include "compute/cpu/scratch.hpp"

namespace markeval::compute::cpu {
namespace {

static_assert(sizeof(TilePair) == sizeof(CodedPair));

/// Collects pairs and counts those there is no room for.
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

/// A block of queries as the kernels want them.
struct QueryBlock {
  const CodedRows& rows;
  std::byte* scratch;  ///< for tiles that begin inside a panel
  std::size_t panel_bytes;
  float* sides;  ///< kQueryCopies of -2 * scale, of the norm and of the limit of every row

  /// Returns the packed rows of the block.
  const std::byte* fill(std::size_t begin, std::size_t end, std::span<const float> limits) const {
    const CodeKernel& kernel = rows.kernel();
    const bool aligned = begin % kernel.query.rows == 0;
    for (std::size_t row = begin; !aligned && row < end; row += kernel.query.rows) {
      kernel.pack_query(rows.row(row), rows.row_stride(), std::min(kernel.query.rows, end - row),
                        rows.columns(), rows.padded_columns(),
                        scratch + (row - begin) / kernel.query.rows * panel_bytes);
    }
    for (std::size_t row = begin; row < end; ++row) {
      float* const side = sides + (row - begin) * kQueryCopies;
      std::fill_n(side, kQueryCopies, -2 * rows.scale()[row]);
      std::fill_n(side + kQueryBlockRows * kQueryCopies, kQueryCopies, rows.squared_norm()[row]);
      std::fill_n(side + 2 * kQueryBlockRows * kQueryCopies, kQueryCopies, limits[row - begin]);
    }
    return aligned ? rows.query_panel(begin / kernel.query.rows) : scratch;
  }
  CodedQueries from(std::size_t row) const {
    const float* const side = sides + row * kQueryCopies;
    return {side, side + kQueryBlockRows * kQueryCopies, side + 2 * kQueryBlockRows * kQueryCopies};
  }
};

}  // namespace

CodedRows::CodedRows(MatrixView<const std::int8_t> codes, std::span<const float> scale,
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

std::unique_ptr<CodedRows> PairOperations::pack(MatrixView<const std::int8_t> codes,
                                                std::span<const float> scale,
                                                std::span<const float> squared_norm) const {
  return std::make_unique<CodedRows>(codes, scale, squared_norm, *kernels_.codes, pool_);
}

std::size_t PairOperations::select(const CodedRows& query, const CodedRows& base, const Tile& tile,
                                   std::span<const float> query_limits, std::span<const float> base_limits,
                                   std::span<CodedPair> found) const {
  assert(query.columns() == base.columns() && &query.kernel() == &base.kernel());
  assert(tile.query_end <= query.rows() && tile.base_end <= base.rows());
  assert(query_limits.size() == tile.query_end - tile.query_begin);
  assert(base_limits.size() == tile.base_end - tile.base_begin);
  Selection selection{found};
  if (tile.pairs() == 0) return 0;
  const CodeKernel& kernel = query.kernel();
  const std::size_t query_rows = kernel.query.rows, base_rows = kernel.base.rows;
  const std::size_t query_panel_bytes = query.query_panel_bytes();
  const std::size_t first_panel = tile.base_begin / base_rows;
  const std::size_t end_panel = divided_up(tile.base_end, base_rows);

  thread_local ScratchBuffer query_scratch, side_scratch, limit_scratch, tile_scratch, pair_scratch;
  // Limits of whole panels; rows outside the tile are dropped below.
  const std::size_t base_count = (end_panel - first_panel) * base_rows;
  float* const panel_limits = limit_scratch.get<float>(base_count);
  std::fill_n(panel_limits, base_count, 0.0f);
  std::copy(base_limits.begin(), base_limits.end(),
            panel_limits + (tile.base_begin - first_panel * base_rows));
  std::int32_t* const products = tile_scratch.get<std::int32_t>(query_rows * base_rows);
  TilePair* const pairs = pair_scratch.get<TilePair>(kQueryBlockRows * base_rows);
  const std::size_t block_panels = divided_up(kQueryBlockRows, query_rows);
  const QueryBlock queries{query, query_scratch.get<std::byte>(block_panels * query_panel_bytes),
                           query_panel_bytes, side_scratch.get<float>(3 * kQueryBlockRows * kQueryCopies)};

  if (kernel.begin != nullptr) kernel.begin();
  for (std::size_t block = tile.query_begin; block < tile.query_end; block += kQueryBlockRows) {
    const std::size_t block_end = std::min(block + kQueryBlockRows, tile.query_end);
    const std::span<const float> block_limits =
        query_limits.subspan(block - tile.query_begin, block_end - block);
    const std::byte* const panels = queries.fill(block, block_end, block_limits);
    for (std::size_t panel = first_panel; panel < end_panel; ++panel) {
      const std::size_t base_row = panel * base_rows;
      const CodedBases bases{base.scale() + base_row, base.squared_norm() + base_row,
                             panel_limits + (base_row - first_panel * base_rows)};
      for (std::size_t row = block; row < block_end; row += query_rows) {
        kernel.multiply(panels + (row - block) / query_rows * query_panel_bytes, base.base_panel(panel),
                        query.padded_columns(), products);
        const std::size_t count =
            kernels_.pairs->select(products, base_rows, std::min(query_rows, block_end - row),
                                   queries.from(row - block), bases, pairs);
        for (const TilePair& pair : std::span(pairs, count)) {
          const std::size_t partner = base_row + pair.base;
          if (partner < tile.base_begin || partner >= tile.base_end) continue;
          selection.add(row + pair.query, partner, pair.squared_distance);
        }
      }
    }
  }
  if (kernel.end != nullptr) kernel.end();
  return selection.count;
}

void PairOperations::measure(const CodedRows& query, const CodedRows& base,
                             std::span<CodedPair> pairs) const {
  assert(query.columns() == base.columns());
  // Pairs whose query is fetched while this one is measured; `select` lists them by a few base rows at a
  // time, which stay in the cache.
  constexpr std::size_t kAhead = 4;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (i + kAhead < pairs.size()) {
      const std::int8_t* const next = query.row(pairs[i + kAhead].query);
      for (std::size_t line = 0; line < query.row_stride(); line += 64) __builtin_prefetch(next + line);
    }
    CodedPair& pair = pairs[i];
    pair.squared_distance = kernels_.pairs->distance(
        query.row(pair.query), base.row(pair.base), query.row_stride(), query.scale()[pair.query],
        query.squared_norm()[pair.query], base.scale()[pair.base], base.squared_norm()[pair.base]);
  }
}

}  // namespace markeval::compute::cpu
