// Who packs what, and who multiplies which tile. The work is cut into tasks of some left rows by some panels
// of weights, sized so that a task's rows stay in the second cache and a panel in the first.
//
// What must hold: a tile's sums do not depend on how the work was cut. Every element is summed over the
// inputs in one order, in blocks of GemmKernel::input_block, whichever thread does it.
#include "compute/cpu/matrix_product.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <thread>
#include <type_traits>

#include "compute/cpu/scratch.hpp"
#include "compute/cpu/shares.hpp"

namespace markeval::compute::cpu {
namespace {

// Rows packed at a time where all threads share them, to bound the memory of the packed copy.
constexpr std::size_t kBatchRows = 1024;
// Panels of weights that are multiplied together: unfinished tiles of so many stay in the second cache.
constexpr std::size_t kWeightPanels = 8;
// For kernels that outrun the cache; measured on Emerald Rapids, whose cores have 2 MiB of second cache each.
constexpr std::size_t kKeptWeightBytes = 1'250'000;  // weights that stay there while rows pass by
constexpr std::size_t kKeptRowBytes = 384 * 1024;    // rows to keep there otherwise
constexpr std::size_t kFewRows = 256;                // rows of a thread, up to which columns are shared out

/// One call: rows of `in` packed into `packed_rows` where the kernel wants it, tiles computed task by task.
template <typename In, typename Out>
struct TiledProduct {
  const PackedMatrix& weights;
  const ProductEpilogue& epilogue;
  FinishTile<Out> finish_tile;
  MatrixView<const In> in;
  MatrixView<Out> out;
  std::byte* packed_rows = nullptr;
  std::size_t first_packed = 0;  ///< panel that stands there first; panels before are read as they stand
  std::size_t ahead_panels = 0;  ///< how far on the rows are that this thread will pack next, 0: not known

  const GemmKernel& kernel() const { return weights.kernel(); }
  std::size_t row_panels() const { return divided_up(in.rows(), kernel().left.rows); }
  std::size_t panel_bytes() const {
    return weights.padded_inputs() * kernel().left.rows * kernel().element_bytes;
  }
  /// Whether rows that fill a panel are multiplied as they stand.
  bool reads_rows() const {
    if constexpr (std::is_same_v<In, float>) return kernel().reads_rows;
    return kernel().reads_bf16_rows && weights.inputs() == weights.padded_inputs();
  }
  std::byte* packed_panel(std::size_t index) const {
    return packed_rows + (index - first_packed) * panel_bytes();
  }
  /// Rows of a panel from element `first` of the inputs on.
  LeftRows left(std::size_t panel, std::size_t first) const {
    const auto [rows, depth] = kernel().left;
    if (panel < first_packed) return {in.row(panel * rows).data() + first, in.stride(), depth};
    return {packed_panel(panel) + first * rows * kernel().element_bytes, depth, rows * depth};
  }

  void pack(std::size_t panel) const {
    const std::size_t first = panel * kernel().left.rows;
    const std::size_t count = std::min(kernel().left.rows, in.rows() - first);
    const auto pack_left = [&] {
      if constexpr (std::is_same_v<In, float>)
        return kernel().pack_left;
      else
        return kernel().pack_left_bf16;
    }();
    pack_left(in.row(first).data(), in.stride(), count, in.columns(), weights.padded_inputs(),
              packed_panel(panel));
  }

  Out* target(std::size_t row_index, std::size_t column_index) const {
    return out.data() + row_index * kernel().left.rows * out.stride() + column_index * kernel().right.rows;
  }

  /// Every tile of a row panel asks for its share of the rows that come next.
  Lines rows_ahead(std::size_t row, std::size_t column) const {
    const std::size_t next = (row + ahead_panels) * kernel().left.rows;
    if (ahead_panels == 0 || next + kernel().left.rows > in.rows()) return {};
    const Lines all{reinterpret_cast<const std::byte*>(in.row(next).data()),
                    kernel().left.rows * in.stride() * sizeof(In) / kLine};
    return share(all, column, weights.panels());
  }

  /// The weights that `compute` comes to after inputs [first, first + length) of panel `column`.
  Lines next_weights(std::size_t column_begin, std::size_t column_end, std::size_t column, std::size_t first,
                     std::size_t length) const {
    const std::size_t lines = length * kernel().right.rows * kernel().element_bytes / kLine;
    if (column + 1 < column_end) return {weights.panel(column + 1, first), lines};
    if (first + length < weights.padded_inputs()) return {weights.panel(column_begin, first + length), lines};
    return {weights.panel(column_end < weights.panels() ? column_end : 0, 0), lines};
  }

  TileEpilogue tile_epilogue(std::size_t row_index, std::size_t column_index) const {
    const std::size_t row = row_index * kernel().left.rows, column = column_index * kernel().right.rows;
    const MatrixView<const float>& residual = epilogue.residual;
    return {epilogue.scale, epilogue.bias == nullptr ? nullptr : epilogue.bias + column, epilogue.activation,
            residual.empty() ? nullptr : residual.data() + row * residual.stride() + column,
            residual.stride()};
  }

  /// One block of inputs of one tile; the last block finishes it.
  void multiply(std::size_t row, std::size_t column, std::size_t first, std::size_t length, Lines ahead,
                float* tile) const {
    const std::size_t rows = std::min(kernel().left.rows, in.rows() - row * kernel().left.rows);
    const std::size_t columns =
        std::min(kernel().right.rows, weights.outputs() - column * kernel().right.rows);
    const bool last = first + length == weights.padded_inputs();
    const TileEpilogue mine = tile_epilogue(row, column);
    const bool by_kernel = std::is_same_v<Out, float> && last && kernel().finishes &&
                           mine.activation == TileActivation::none && rows == kernel().left.rows &&
                           columns == kernel().right.rows;
    const TileTarget to{.data = target(row, column),
                        .stride = out.stride() * sizeof(Out),
                        .row_bytes = kernel().right.rows * sizeof(Out),
                        .epilogue = by_kernel ? &mine : nullptr,
                        .ahead = ahead};
    kernel().multiply(left(row, first), weights.panel(column, first), length, tile, first > 0, to);
    if (last && !by_kernel)
      finish_tile(tile, kernel().right.rows, rows, columns, mine, target(row, column), out.stride());
  }

  /// Tiles of panels [row_begin, row_end) x [column_begin, column_end).
  void compute(std::size_t row_begin, std::size_t row_end, std::size_t column_begin,
               std::size_t column_end) const {
    thread_local ScratchBuffer scratch;
    const std::size_t tile_size = kernel().left.rows * kernel().right.rows;
    const std::size_t rows = row_end - row_begin;
    // Partial sums are kept in float32 between blocks, as they are in registers: blocks do not change a bit.
    const std::size_t block = kernel().input_block;
    const bool cut = block < weights.padded_inputs();  // else every tile is finished at once, in one place
    float* const tiles = scratch.get<float>(cut ? tile_size * rows * (column_end - column_begin) : tile_size);
    if (kernel().begin != nullptr) kernel().begin();
    for (std::size_t first = 0; first < weights.padded_inputs(); first += block) {
      const std::size_t length = std::min(block, weights.padded_inputs() - first);
      for (std::size_t column = column_begin; column < column_end; ++column) {
        Lines next = share(next_weights(column_begin, column_end, column, first, length), 0, rows);
        for (std::size_t row = row_begin; row < row_end; ++row, next.begin += next.count * kLine) {
          float* const tile =
              cut ? tiles + ((column - column_begin) * rows + (row - row_begin)) * tile_size : tiles;
          // A kernel that outruns the cache keeps weights there, and asks for the rows it packs next.
          multiply(row, column, first, length, kernel().outruns_cache ? rows_ahead(row, column) : next, tile);
        }
      }
    }
    if (kernel().end != nullptr) kernel().end();
  }
};

/// As many parts of at most `size` as every one of `threads` gets the same number of, if there are so many.
EvenParts even_parts(std::size_t count, std::size_t size, std::size_t threads) {
  return {count, std::min(count, round_up(divided_up(count, size), threads))};
}

// Small problems are cut finer, so that every thread gets about the same number of tiles.
std::size_t group_size(std::size_t panels, std::size_t row_blocks, std::size_t threads) {
  if (threads == 1) return std::clamp<std::size_t>(panels, 1, kWeightPanels);
  const std::size_t wanted_groups = std::max<std::size_t>(1, divided_up(4 * threads, row_blocks));
  return std::clamp<std::size_t>(panels / wanted_groups, 1, kWeightPanels);
}

std::size_t block_panels(const GemmKernel& kernel) {
  return std::max<std::size_t>(1, kernel.row_block / kernel.left.rows);
}

/// Panels of rows that stay in the second cache while all weights pass by.
std::size_t kept_panels(const PackedMatrix& weights) {
  const GemmKernel& kernel = weights.kernel();
  const std::size_t length = std::min(kernel.input_block, weights.padded_inputs());
  return std::max(block_panels(kernel), kKeptRowBytes / (length * kernel.left.rows * kernel.element_bytes));
}

/// Whether there are enough blocks of rows to give every thread as many as the others, or nearly so.
bool many_blocks(const GemmKernel& kernel, std::size_t rows, std::size_t threads) {
  const std::size_t blocks = divided_up(rows, block_panels(kernel) * kernel.left.rows);
  return blocks >= 16 * threads || (blocks >= 2 * threads && blocks % threads == 0);
}

/// Who packs a block of rows multiplies it, while it is in that core's cache.
template <typename In, typename Out>
void run_by_blocks(const TiledProduct<In, Out>& product, ThreadPool& pool) {
  const PackedMatrix& weights = product.weights;
  const bool weights_pass_by = product.kernel().outruns_cache && weights.bytes() > kKeptWeightBytes;
  const std::size_t block = weights_pass_by ? kept_panels(weights) : block_panels(product.kernel());
  const EvenParts blocks = even_parts(product.row_panels(), block, pool.size());
  const EvenParts groups{weights.panels(), divided_up(weights.panels(), kWeightPanels)};
  Shares shares(blocks.parts, pool.size());
  pool.for_each(blocks.parts, [&](std::size_t, std::size_t worker) {
    thread_local ScratchBuffer scratch;
    const std::size_t index = shares.take(worker), begin = blocks.begin(index), end = blocks.end(index);
    TiledProduct mine = product;
    mine.first_packed = begin;
    if (product.reads_rows()) {
      mine.first_packed = std::min(end, product.in.rows() / product.kernel().left.rows);
    } else {
      mine.ahead_panels = end - begin;
    }
    mine.packed_rows = scratch.get<std::byte>((end - mine.first_packed) * product.panel_bytes());
    for (std::size_t panel = mine.first_packed; panel < end; ++panel) mine.pack(panel);
    for (std::size_t group = 0; group < groups.parts; ++group)
      mine.compute(begin, end, groups.begin(group), groups.end(group));
  });
}

/// Everybody packs, then everybody multiplies: `multiply(item, worker)` for all `items`.
template <typename In, typename Out, typename Multiply>
void pack_and_run(const TiledProduct<In, Out>& product, std::size_t items, ThreadPool& pool,
                  const Multiply& multiply) {
  const std::size_t to_pack = product.row_panels() - product.first_packed;
  // One loop for both steps: items start in order, so all packing has started before the first tile is asked
  // for.
  std::atomic<std::size_t> packed{0};
  pool.for_each(to_pack + items, [&](std::size_t item, std::size_t worker) {
    if (item < to_pack) {
      product.pack(product.first_packed + item);
      packed.fetch_add(1, std::memory_order_release);
      return;
    }
    for (int spins = 0; packed.load(std::memory_order_acquire) != to_pack;) {
      if (++spins > 1000) std::this_thread::yield();
    }
    multiply(item - to_pack, worker);
  });
}

template <typename In, typename Out>
void run_by_tiles(const TiledProduct<In, Out>& product, ThreadPool& pool) {
  const std::size_t block = block_panels(product.kernel());
  const std::size_t row_panels = product.row_panels(), column_panels = product.weights.panels();
  const std::size_t row_blocks = divided_up(row_panels, block);
  const std::size_t group = group_size(column_panels, row_blocks, pool.size());
  const std::size_t groups = divided_up(column_panels, group);
  Shares shares(row_blocks * groups, pool.size());
  pack_and_run(product, row_blocks * groups, pool, [&](std::size_t, std::size_t worker) {
    const std::size_t item = shares.take(worker);
    const std::size_t row = item / groups * block, column = item % groups * group;
    product.compute(row, std::min(row + block, row_panels), column, std::min(column + group, column_panels));
  });
}

/// Every thread has columns of its own and reads that part of the weights only.
template <typename In, typename Out>
void run_by_columns(const TiledProduct<In, Out>& product, ThreadPool& pool) {
  const EvenParts blocks{product.row_panels(),
                         divided_up(product.row_panels(), kept_panels(product.weights))};
  const EvenParts groups = even_parts(product.weights.panels(), kWeightPanels, pool.size());
  Shares shares(groups.parts * blocks.parts, pool.size());
  pack_and_run(product, groups.parts * blocks.parts, pool, [&](std::size_t, std::size_t worker) {
    const std::size_t index = shares.take(worker), group = index / blocks.parts, block = index % blocks.parts;
    product.compute(blocks.begin(block), blocks.end(block), groups.begin(group), groups.end(group));
  });
}

}  // namespace

PackedMatrix::PackedMatrix(MatrixView<const float> weights, const GemmKernel& kernel, ThreadPool& pool)
    : kernel_(kernel),
      outputs_(weights.rows()),
      inputs_(weights.columns()),
      padded_inputs_(round_up(inputs_, kernel.depth)),
      panels_(divided_up(outputs_, kernel.right.rows)),
      packed_(panels_ * padded_inputs_ * kernel.right.rows * kernel.element_bytes) {
  pool.for_each(panels_, [&](std::size_t index, std::size_t) {
    const std::size_t first = index * kernel_.right.rows;
    const std::size_t count = std::min(kernel_.right.rows, outputs_ - first);
    kernel_.pack_right(weights.row(first).data(), weights.stride(), count, inputs_, padded_inputs_,
                       packed_.data() + index * padded_inputs_ * kernel_.right.rows * kernel_.element_bytes);
  });
}

template <typename In, typename Out>
void multiply(MatrixView<const In> in, const PackedMatrix& weights, const ProductEpilogue& epilogue,
              FinishTile<Out> finish_tile, MatrixView<Out> out, ThreadPool& pool) {
  assert(in.columns() == weights.inputs() && out.columns() == weights.outputs() && in.rows() == out.rows());
  const GemmKernel& kernel = weights.kernel();
  const TiledProduct<In, Out> whole{weights, epilogue, finish_tile, in, out};
  const bool reads_rows = whole.reads_rows();
  const bool by_blocks = kernel.outruns_cache ? in.rows() > kFewRows * pool.size()
                                              : !reads_rows && many_blocks(kernel, in.rows(), pool.size());
  if (by_blocks) return run_by_blocks(whole, pool);
  thread_local ScratchBuffer scratch;
  const std::size_t batch =
      round_up(reads_rows ? in.rows() : std::min(in.rows(), kBatchRows), kernel.left.rows);
  std::byte* const packed_rows =
      scratch.get<std::byte>((reads_rows ? 1 : batch / kernel.left.rows) * whole.panel_bytes());
  for (std::size_t first = 0; first < in.rows(); first += batch) {
    const std::size_t count = std::min(batch, in.rows() - first);
    ProductEpilogue mine = epilogue;
    if (!mine.residual.empty()) mine.residual = epilogue.residual.rows_from(first, count);
    TiledProduct<In, Out> part{weights, mine, finish_tile, in.rows_from(first, count),
                               out.rows_from(first, count)};
    part.packed_rows = packed_rows;
    part.first_packed = reads_rows ? count / kernel.left.rows : 0;
    if (kernel.outruns_cache) {
      run_by_columns(part, pool);
    } else {
      run_by_tiles(part, pool);
    }
  }
}

#define MARKEVAL_PRODUCT(In, Out)                                                                            \
  template void multiply(MatrixView<const In>, const PackedMatrix&, const ProductEpilogue&, FinishTile<Out>, \
                         MatrixView<Out>, ThreadPool&);
MARKEVAL_PRODUCT(float, float)
MARKEVAL_PRODUCT(float, Bf16)
MARKEVAL_PRODUCT(Bf16, float)
MARKEVAL_PRODUCT(Bf16, Bf16)
#undef MARKEVAL_PRODUCT

}  // namespace markeval::compute::cpu
