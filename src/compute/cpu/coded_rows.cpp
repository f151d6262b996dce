#include "compute/cpu/coded_rows.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

#include "compute/cpu/scratch.hpp"

namespace markeval::compute::cpu {
namespace {

// Query panels that meet one base panel while it is in the first cache; their own codes stay in the second.
constexpr std::size_t kQueryBlockRows = 288;  // a multiple of every kernel's rows

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
  const CpuCodedRows& rows;
  std::byte* scratch;  ///< for tiles that begin inside a panel
  std::size_t panel_bytes;
  float* sides;  ///< kQueryCopies of -2 * scale, of the norm and of the limit of every row

  /// Returns the packed rows of the block.
  const std::byte* fill(std::size_t begin, std::size_t end, const float* limit) const {
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
      std::fill_n(side + 2 * kQueryBlockRows * kQueryCopies, kQueryCopies, limit[row]);
    }
    return aligned ? rows.query_panel(begin / kernel.query.rows) : scratch;
  }
  CodedQueries from(std::size_t row) const {
    const float* const side = sides + row * kQueryCopies;
    return {side, side + kQueryBlockRows * kQueryCopies, side + 2 * kQueryBlockRows * kQueryCopies};
  }
};

/// Half the length of the codes, rounded up.
std::uint8_t half_length(std::span<const std::int8_t> codes) {
  std::int64_t squares = 0;
  for (const std::int8_t code : codes) squares += std::int32_t{code} * code;
  return static_cast<std::uint8_t>(std::min(255.0, std::ceil(std::sqrt(static_cast<double>(squares)) / 2)));
}

/// Limits as whole numbers, where all rows of the tile have one scale on either side.
class WholeTile {
 public:
  WholeTile(const CpuCodedRows& query, const CpuCodedRows& base, const Tile& tile, std::size_t first_base,
            Scratch& base_scratch, std::size_t base_count)
      : query_(query),
        base_reach_(base_scratch.get<std::int32_t>(3 * base_count)),
        base_norm_(base_reach_ + base_count),
        base_rest_(reinterpret_cast<std::int8_t*>(base_norm_ + base_count)),
        first_base_(first_base) {
    const float query_scale = query.scale()[tile.query_begin], base_scale = base.scale()[tile.base_begin];
    const auto same = [](const float* from, std::size_t begin, std::size_t end) {
      return std::all_of(from + begin, from + end, [=](float scale) { return scale == from[begin]; });
    };
    fits_ = query.kernel().multiply_select != nullptr && query.padded_columns() <= kWidest &&
            query_scale > 0 && base_scale > 0 && same(query.scale(), tile.query_begin, tile.query_end) &&
            same(base.scale(), tile.base_begin, tile.base_end);
    if (!fits_) return;
    unit_ = 0.5 / (static_cast<double>(query_scale) * static_cast<double>(base_scale));
    const auto short_rest = [](std::uint8_t rest) { return rest <= 127; };
    if (query.padded_columns() >= 2 * kFirstCodes &&
        std::all_of(query.rest() + tile.query_begin, query.rest() + tile.query_end, short_rest) &&
        std::all_of(base.rest() + tile.base_begin, base.rest() + tile.base_end, short_rest)) {
      first_columns_ = kFirstCodes;
    }
  }
  explicit operator bool() const { return fits_; }

  void fill_bases(const CpuCodedRows& base, const Tile& tile, const float* limit) {
    std::fill(base_reach_, base_norm_, kNoReach);  // rows of the panels beyond the tile
    std::fill_n(base_norm_, 2 * (base_norm_ - base_reach_), 0);
    for (std::size_t row = tile.base_begin; row < tile.base_end; ++row) {
      base_reach_[row - first_base_] = reach(limit[row], base.squared_norm()[row]);
      base_norm_[row - first_base_] = norm(base.squared_norm()[row]);
      std::memset(base_rest_ + (row - first_base_) * kQueryCopies, base.rest()[row], kQueryCopies);
    }
  }
  void fill_queries(std::size_t begin, std::size_t end, const float* limit, Scratch& scratch) {
    query_reach_ = scratch.get<std::int32_t>(3 * kQueryBlockRows * kQueryCopies);
    query_norm_ = query_reach_ + kQueryBlockRows * kQueryCopies;
    query_rest_ = reinterpret_cast<std::int8_t*>(query_norm_ + kQueryBlockRows * kQueryCopies);
    for (std::size_t row = begin; row < end; ++row) {
      std::fill_n(query_reach_ + (row - begin) * kQueryCopies, kQueryCopies,
                  reach(limit[row], query_.squared_norm()[row]));
      std::fill_n(query_norm_ + (row - begin) * kQueryCopies, kQueryCopies, norm(query_.squared_norm()[row]));
      std::memset(query_rest_ + (row - begin) * kQueryCopies, query_.rest()[row], kQueryCopies);
    }
    const std::size_t filled = (end - begin) * kQueryCopies;
    const std::size_t panels = round_up(end - begin, query_.kernel().query.rows) * kQueryCopies;
    std::fill(query_reach_ + filled, query_reach_ + panels, kNoReach);
    std::fill(query_norm_ + filled, query_norm_ + panels, 0);
    std::fill(query_rest_ + filled, query_rest_ + panels, std::int8_t{0});
  }
  /// Of the block's queries and the panel that begins at this base row.
  WholeLimits limits(std::size_t base_row) const {
    const std::size_t place = base_row - first_base_;
    return {query_reach_,
            query_norm_,
            base_reach_ + place,
            base_norm_ + place,
            first_columns_,
            query_rest_,
            base_rest_ + place * kQueryCopies};
  }

  static constexpr std::int32_t kNoReach = -(1 << 30);
  // Products stay below 2^28, norms are cut there (which lets more pairs through) and reaches at 2^30.
  static constexpr std::size_t kWidest = (std::size_t{1} << 28) / (127 * 127);

 private:
  static std::int32_t whole(double value, double least, double most) {
    return static_cast<std::int32_t>(std::clamp(std::ceil(value) + 1, least, most));
  }
  std::int32_t reach(float limit, float squared_norm) const {
    return whole((static_cast<double>(limit) - squared_norm * (1 - kError)) * unit_, -0x1p30, 0x1p30);
  }
  std::int32_t norm(float squared_norm) const {
    return whole(-squared_norm * (1 - kError) * unit_, -0x1p28, 0x1p28);
  }

  static constexpr double kError = static_cast<double>(kCodedError);
  const CpuCodedRows& query_;
  std::int32_t *base_reach_, *base_norm_;
  std::int8_t* base_rest_;
  std::int32_t *query_reach_ = nullptr, *query_norm_ = nullptr;
  std::int8_t* query_rest_ = nullptr;
  std::size_t first_base_;
  double unit_ = 0;
  std::size_t first_columns_ = 0;
  bool fits_;
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
      squared_norm_(round_up(rows_, kernel.base.rows), 0),
      rest_(rows_) {
  assert(columns_ <= kMaxCodedColumns && scale.size() == rows_ && squared_norm.size() == rows_);
  std::copy(scale.begin(), scale.end(), scale_.begin());
  std::copy(squared_norm.begin(), squared_norm.end(), squared_norm_.begin());
  pool.for_each(round_up(rows_, kQueryBlockRows) / kQueryBlockRows, [&](std::size_t block, std::size_t) {
    const std::size_t end = std::min(rows_, (block + 1) * kQueryBlockRows);
    for (std::size_t i = block * kQueryBlockRows; i < end; ++i) {
      std::memcpy(codes_.data() + i * row_stride_, codes.row(i).data(), columns_);
      std::memset(codes_.data() + i * row_stride_ + columns_, 0, row_stride_ - columns_);
      rest_[i] = half_length(codes.row(i).subspan(std::min(columns_, kFirstCodes)));
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

  thread_local Scratch query_scratch, side_scratch, limit_scratch, tile_scratch, pair_scratch;
  // Limits of whole panels; rows outside the tile are dropped below.
  float* const base_limits = limit_scratch.get<float>((end_panel - first_panel) * base_rows);
  std::fill_n(base_limits, (end_panel - first_panel) * base_rows, 0.0f);
  std::copy(base_limit + tile.base_begin, base_limit + tile.base_end,
            base_limits + (tile.base_begin - first_panel * base_rows));
  std::int32_t* const products = tile_scratch.get<std::int32_t>(query_rows * base_rows);
  TilePair* const pairs = pair_scratch.get<TilePair>(kQueryBlockRows * base_rows);
  thread_local Scratch whole_base_scratch, whole_query_scratch;
  const std::size_t base_count = (end_panel - first_panel) * base_rows;
  WholeTile whole(query, base, tile, first_panel * base_rows, whole_base_scratch, base_count);
  if (whole) whole.fill_bases(base, tile, base_limit);
  const std::size_t block_panels = (kQueryBlockRows + query_rows - 1) / query_rows;
  const QueryBlock queries{query, query_scratch.get<std::byte>(block_panels * query_panel_bytes),
                           query_panel_bytes, side_scratch.get<float>(3 * kQueryBlockRows * kQueryCopies)};

  if (kernel.begin != nullptr) kernel.begin();
  for (std::size_t block = tile.query_begin; block < tile.query_end; block += kQueryBlockRows) {
    const std::size_t block_end = std::min(block + kQueryBlockRows, tile.query_end);
    const std::byte* const panels = queries.fill(block, block_end, query_limit);
    if (whole) whole.fill_queries(block, block_end, query_limit, whole_query_scratch);
    for (std::size_t panel = first_panel; panel < end_panel; ++panel) {
      const std::size_t base_row = panel * base_rows;
      const CodedBases bases{base.scale() + base_row, base.squared_norm() + base_row,
                             base_limits + (base_row - first_panel * base_rows)};
      const auto add = [&](std::size_t first_query, std::size_t count) {
        for (const TilePair& pair : std::span(pairs, count)) {
          const std::size_t partner = base_row + pair.base;
          if (partner < tile.base_begin || partner >= tile.base_end) continue;
          selection.add(first_query + pair.query, partner, pair.squared_distance);
        }
      };
      if (whole) {
        add(block, kernel.multiply_select(panels, query_panel_bytes, block_end - block,
                                          base.base_panel(panel), query.padded_columns(),
                                          whole.limits(base_row), queries.from(0), bases, pairs));
        continue;
      }
      for (std::size_t row = block; row < block_end; row += query_rows) {
        kernel.multiply(panels + (row - block) / query_rows * query_panel_bytes, base.base_panel(panel),
                        query.padded_columns(), products);
        add(row, kernels.select(products, base_rows, std::min(query_rows, block_end - row),
                                queries.from(row - block), bases, pairs));
      }
    }
  }
  if (kernel.end != nullptr) kernel.end();
  return selection.count;
}

void measure_pairs(const CpuCodedRows& query, const CpuCodedRows& base, std::span<CodedPair> pairs,
                   const PairKernels& kernels) {
  assert(query.columns() == base.columns());
  // Pairs whose query is fetched while this one is measured; select_pairs lists them by a few base rows at a
  // time, which stay in the cache.
  constexpr std::size_t kAhead = 4;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (i + kAhead < pairs.size()) {
      const std::int8_t* const next = query.row(pairs[i + kAhead].query);
      for (std::size_t line = 0; line < query.row_stride(); line += 64) __builtin_prefetch(next + line);
    }
    CodedPair& pair = pairs[i];
    pair.squared_distance = kernels.distance(query.row(pair.query), base.row(pair.base), query.row_stride(),
                                             query.scale()[pair.query], query.squared_norm()[pair.query],
                                             base.scale()[pair.base], base.squared_norm()[pair.base]);
  }
}

}  // namespace markeval::compute::cpu
