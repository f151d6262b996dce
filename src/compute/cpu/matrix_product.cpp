#include "compute/cpu/matrix_product.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <thread>

#include "compute/cpu/scratch.hpp"

namespace markeval::compute::cpu {
namespace {

// Rows packed at a time where all threads share them, to bound the memory of the packed copy.
constexpr std::size_t kBatchRows = 1024;
// Panels of weights that are multiplied together: unfinished tiles of so many stay in the second cache.
constexpr std::size_t kGroupPanels = 8;
constexpr std::size_t kLine = 64;  // bytes

/// One call: rows of `in` packed into `packed_rows` where the kernel wants it, tiles computed task by task.
struct Product {
  const PackedMatrix& weights;
  const ProductEpilogue& epilogue;
  FinishTile finish_tile;
  MatrixView<const float> in;
  MatrixView<float> out;
  std::byte* packed_rows;
  std::size_t first_packed;      ///< panel that stands there first; panels before are read as they stand
  std::size_t ahead_panels = 0;  ///< how far on the rows are that this thread will pack next, 0: not known

  const GemmKernel& kernel() const { return weights.kernel(); }
  std::size_t row_panels() const { return (in.rows() + kernel().left.rows - 1) / kernel().left.rows; }
  std::byte* packed_panel(std::size_t index) const {
    return packed_rows +
           (index - first_packed) * weights.padded_inputs() * kernel().left.rows * kernel().element_bytes;
  }
  /// Rows of a panel from element `first` of the inputs on.
  LeftRows left(std::size_t panel, std::size_t first) const {
    const std::size_t rows = kernel().left.rows;
    if (panel < first_packed) return {in.row(panel * rows).data() + first, in.stride(), 1};
    return {packed_panel(panel) + first * rows * kernel().element_bytes, 1, rows};
  }

  void pack(std::size_t panel) const {
    const std::size_t first = panel * kernel().left.rows;
    const std::size_t count = std::min(kernel().left.rows, in.rows() - first);
    kernel().pack_left(in.row(first).data(), in.stride(), count, in.columns(), weights.padded_inputs(),
                       packed_panel(panel));
  }

  float* target(std::size_t row_index, std::size_t column_index) const {
    return out.data() + row_index * kernel().left.rows * out.stride() + column_index * kernel().right.rows;
  }

  /// Every tile of a row panel asks for its share of the rows that come next.
  void ask_ahead(std::size_t row, std::size_t column, TileTarget& target) const {
    const std::size_t next = (row + ahead_panels) * kernel().left.rows;
    if (ahead_panels == 0 || next + kernel().left.rows > in.rows()) return;
    target.ahead_lines =
        (kernel().left.rows * in.stride() * sizeof(float) / kLine + weights.panels() - 1) / weights.panels();
    target.ahead =
        reinterpret_cast<const std::byte*>(in.row(next).data()) + column * target.ahead_lines * kLine;
  }

  TileEpilogue tile_epilogue(std::size_t row_index, std::size_t column_index) const {
    const std::size_t row = row_index * kernel().left.rows, column = column_index * kernel().right.rows;
    const MatrixView<const float>& residual = epilogue.residual;
    return {epilogue.scale, epilogue.bias == nullptr ? nullptr : epilogue.bias + column, epilogue.activation,
            residual.empty() ? nullptr : residual.data() + row * residual.stride() + column,
            residual.stride()};
  }

  /// One block of inputs of one tile; the last block finishes it.
  void multiply(std::size_t row, std::size_t column, std::size_t first, std::size_t length,
                float* tile) const {
    const std::size_t rows = std::min(kernel().left.rows, in.rows() - row * kernel().left.rows);
    const std::size_t columns =
        std::min(kernel().right.rows, weights.outputs() - column * kernel().right.rows);
    const bool last = first + length == weights.padded_inputs();
    const TileEpilogue mine = tile_epilogue(row, column);
    const bool by_kernel = last && kernel().finishes && mine.activation == TileActivation::none &&
                           rows == kernel().left.rows && columns == kernel().right.rows;
    TileTarget to{target(row, column), out.stride(), by_kernel ? &mine : nullptr};
    ask_ahead(row, column, to);
    kernel().multiply(left(row, first), weights.panel(column, first), length, tile, first > 0, to);
    if (last && !by_kernel)
      finish_tile(tile, kernel().right.rows, rows, columns, mine, target(row, column), out.stride());
  }

  /// Tiles of panels [row_begin, row_end) x [column_begin, column_end).
  void compute(std::size_t row_begin, std::size_t row_end, std::size_t column_begin,
               std::size_t column_end) const {
    thread_local Scratch scratch;
    const std::size_t tile_size = kernel().left.rows * kernel().right.rows;
    const std::size_t rows = row_end - row_begin;
    float* const tiles = scratch.get<float>(tile_size * rows * (column_end - column_begin));
    // Partial sums are kept in float32 between blocks, as they are in registers: blocks do not change a bit.
    const std::size_t block = kernel().input_block;
    const bool cut = block < weights.padded_inputs();  // else every tile is finished at once, in one place
    if (kernel().begin != nullptr) kernel().begin();
    for (std::size_t first = 0; first < weights.padded_inputs(); first += block) {
      const std::size_t length = std::min(block, weights.padded_inputs() - first);
      for (std::size_t column = column_begin; column < column_end; ++column) {
        for (std::size_t row = row_begin; row < row_end; ++row) {
          float* const tile =
              cut ? tiles + ((column - column_begin) * rows + (row - row_begin)) * tile_size : tiles;
          multiply(row, column, first, length, tile);
        }
      }
    }
    if (kernel().end != nullptr) kernel().end();
  }
};

// Small problems are cut finer, so that every thread gets about the same number of tiles.
std::size_t group_size(std::size_t panels, std::size_t row_blocks, std::size_t threads) {
  if (threads == 1) return std::clamp<std::size_t>(panels, 1, kGroupPanels);
  const std::size_t wanted_groups = std::max<std::size_t>(1, (4 * threads + row_blocks - 1) / row_blocks);
  return std::clamp<std::size_t>(panels / wanted_groups, 1, kGroupPanels);
}

std::size_t block_panels(const GemmKernel& kernel) {
  return std::max<std::size_t>(1, kernel.row_block / kernel.left.rows);
}

/// Whether there are enough blocks of rows to give every thread as many as the others, or nearly so.
bool many_blocks(const GemmKernel& kernel, std::size_t rows, std::size_t threads) {
  const std::size_t block_rows = block_panels(kernel) * kernel.left.rows;
  const std::size_t blocks = (rows + block_rows - 1) / block_rows;
  return blocks >= 16 * threads || (blocks >= 2 * threads && blocks % threads == 0);
}

/// Who packs a block of rows multiplies it, while it is in that core's cache.
void run_by_blocks(const Product& product, ThreadPool& pool) {
  const std::size_t block = block_panels(product.kernel()), row_panels = product.row_panels();
  const std::size_t panel_bytes =
      product.weights.padded_inputs() * product.kernel().left.rows * product.kernel().element_bytes;
  pool.for_each((row_panels + block - 1) / block, [&](std::size_t index, std::size_t) {
    thread_local Scratch scratch;
    const std::size_t begin = index * block, end = std::min(begin + block, row_panels);
    Product mine = product;
    mine.packed_rows = scratch.get<std::byte>(block * panel_bytes);
    mine.first_packed = begin;
    mine.ahead_panels = pool.size() * block;
    for (std::size_t panel = begin; panel < end; ++panel) mine.pack(panel);
    for (std::size_t column = 0; column < mine.weights.panels(); column += kGroupPanels)
      mine.compute(begin, end, column, std::min(column + kGroupPanels, mine.weights.panels()));
  });
}

/// Everybody packs, then everybody multiplies.
void run_by_tiles(const Product& product, ThreadPool& pool) {
  const std::size_t block = block_panels(product.kernel());
  const std::size_t row_panels = product.row_panels(), first_packed = product.first_packed;
  const std::size_t to_pack = row_panels - first_packed;
  const std::size_t row_blocks = (row_panels + block - 1) / block;
  const std::size_t column_panels = product.weights.panels();
  const std::size_t group = group_size(column_panels, row_blocks, pool.size());
  const std::size_t groups = (column_panels + group - 1) / group;
  // One loop for both steps: items start in order, so all packing has started before the first tile is asked
  // for.
  std::atomic<std::size_t> packed{0};
  pool.for_each(to_pack + row_blocks * groups, [&](std::size_t item, std::size_t) {
    if (item < to_pack) {
      product.pack(first_packed + item);
      packed.fetch_add(1, std::memory_order_release);
      return;
    }
    for (int spins = 0; packed.load(std::memory_order_acquire) != to_pack;) {
      if (++spins > 1000) std::this_thread::yield();
    }
    const std::size_t row = (item - to_pack) / groups * block, column = (item - to_pack) % groups * group;
    product.compute(row, std::min(row + block, row_panels), column, std::min(column + group, column_panels));
  });
}

}  // namespace

PackedMatrix::PackedMatrix(MatrixView<const float> weights, const GemmKernel& kernel, ThreadPool& pool)
    : kernel_(kernel),
      outputs_(weights.rows()),
      inputs_(weights.columns()),
      padded_inputs_(round_up(inputs_, kernel.depth)),
      panels_((outputs_ + kernel.right.rows - 1) / kernel.right.rows),
      packed_(panels_ * padded_inputs_ * kernel.right.rows * kernel.element_bytes) {
  pool.for_each(panels_, [&](std::size_t index, std::size_t) {
    const std::size_t first = index * kernel_.right.rows;
    const std::size_t count = std::min(kernel_.right.rows, outputs_ - first);
    kernel_.pack_right(weights.row(first).data(), weights.stride(), count, inputs_, padded_inputs_,
                       packed_.data() + index * padded_inputs_ * kernel_.right.rows * kernel_.element_bytes);
  });
}

void multiply(MatrixView<const float> in, const PackedMatrix& weights, const ProductEpilogue& epilogue,
              FinishTile finish_tile, MatrixView<float> out, ThreadPool& pool) {
  assert(in.columns() == weights.inputs() && out.columns() == weights.outputs() && in.rows() == out.rows());
  const GemmKernel& kernel = weights.kernel();
  if (!kernel.reads_rows && many_blocks(kernel, in.rows(), pool.size()))
    return run_by_blocks({weights, epilogue, finish_tile, in, out, nullptr, 0}, pool);
  thread_local Scratch scratch;
  const std::size_t batch =
      round_up(kernel.reads_rows ? in.rows() : std::min(in.rows(), kBatchRows), kernel.left.rows);
  std::byte* const packed_rows = scratch.get<std::byte>((kernel.reads_rows ? kernel.left.rows : batch) *
                                                        weights.padded_inputs() * kernel.element_bytes);
  for (std::size_t first = 0; first < in.rows(); first += batch) {
    const std::size_t count = std::min(batch, in.rows() - first);
    ProductEpilogue mine = epilogue;
    if (!mine.residual.empty()) mine.residual = epilogue.residual.rows_from(first, count);
    run_by_tiles({weights, mine, finish_tile, in.rows_from(first, count), out.rows_from(first, count),
                  packed_rows, kernel.reads_rows ? count / kernel.left.rows : 0},
                 pool);
  }
}

}  // namespace markeval::compute::cpu
