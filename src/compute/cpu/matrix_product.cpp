#include "compute/cpu/matrix_product.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <thread>

#include "compute/cpu/scratch.hpp"

namespace markeval::compute::cpu {
namespace {

// Rows packed at a time, to bound the memory of the packed copy.
constexpr std::size_t kBatchRows = 1024;

/// One call: rows of `in` packed into `packed_rows` where the kernel wants it, tiles computed task by task.
struct Product {
  const PackedMatrix& weights;
  const ProductEpilogue& epilogue;
  FinishTile finish_tile;
  MatrixView<const float> in;
  MatrixView<float> out;
  std::byte* packed_rows;

  const GemmKernel& kernel() const { return weights.kernel(); }
  std::size_t row_panels() const { return (in.rows() + kernel().left.rows - 1) / kernel().left.rows; }
  /// Panels before it are read as they stand.
  std::size_t first_packed() const { return kernel().reads_rows ? in.rows() / kernel().left.rows : 0; }
  std::byte* packed_panel(std::size_t index) const {
    return packed_rows +
           (index - first_packed()) * weights.padded_inputs() * kernel().left.rows * kernel().element_bytes;
  }
  /// Rows of a panel from element `first` of the inputs on.
  LeftRows left(std::size_t panel, std::size_t first) const {
    const std::size_t rows = kernel().left.rows;
    if (panel < first_packed()) return {in.row(panel * rows).data() + first, in.stride(), 1};
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
    kernel().multiply(left(row, first), weights.panel(column, first), length, tile, first > 0,
                      {target(row, column), out.stride(), by_kernel ? &mine : nullptr});
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
  if (threads == 1) return std::max<std::size_t>(1, std::min<std::size_t>(panels, 8));
  const std::size_t wanted_groups = std::max<std::size_t>(1, (4 * threads + row_blocks - 1) / row_blocks);
  return std::clamp<std::size_t>(panels / wanted_groups, 1, 8);
}

void run(const Product& product, ThreadPool& pool) {
  const std::size_t block_panels =
      std::max<std::size_t>(1, product.kernel().row_block / product.kernel().left.rows);
  const std::size_t row_panels = product.row_panels(), first_packed = product.first_packed();
  const std::size_t to_pack = row_panels - first_packed;
  const std::size_t row_blocks = (row_panels + block_panels - 1) / block_panels;
  const std::size_t column_panels = product.weights.panels();
  const std::size_t group = group_size(column_panels, row_blocks, pool.size());
  const std::size_t groups = (column_panels + group - 1) / group;
  const auto compute_block = [&](std::size_t block, std::size_t column) {
    const std::size_t row = block * block_panels;
    product.compute(row, std::min(row + block_panels, row_panels), column,
                    std::min(column + group, column_panels));
  };
  if (to_pack > 0 && row_blocks >= 2 * pool.size() && row_blocks % pool.size() == 0) {
    // As many blocks for everybody: who packs one multiplies it, while its rows are in that core's cache.
    pool.for_each(row_blocks, [&](std::size_t block, std::size_t) {
      const std::size_t row = block * block_panels;
      for (std::size_t panel = std::max(row, first_packed); panel < std::min(row + block_panels, row_panels);
           ++panel)
        product.pack(panel);
      for (std::size_t column = 0; column < column_panels; column += group) compute_block(block, column);
    });
    return;
  }
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
    compute_block((item - to_pack) / groups, (item - to_pack) % groups * group);
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
  thread_local Scratch scratch;
  const GemmKernel& kernel = weights.kernel();
  const std::size_t batch =
      round_up(kernel.reads_rows ? in.rows() : std::min(in.rows(), kBatchRows), kernel.left.rows);
  std::byte* const packed_rows = scratch.get<std::byte>((kernel.reads_rows ? kernel.left.rows : batch) *
                                                        weights.padded_inputs() * kernel.element_bytes);
  for (std::size_t first = 0; first < in.rows(); first += batch) {
    const std::size_t count = std::min(batch, in.rows() - first);
    ProductEpilogue mine = epilogue;
    if (!mine.residual.empty()) mine.residual = epilogue.residual.rows_from(first, count);
    run({weights, mine, finish_tile, in.rows_from(first, count), out.rows_from(first, count), packed_rows},
        pool);
  }
}

}  // namespace markeval::compute::cpu
