#include "compute/cpu/matrix_product.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <thread>

#include "compute/cpu/scratch.hpp"

namespace markeval::compute::cpu {
namespace {

// Rows of one task: its packed rows over one block of inputs stay in the second cache.
constexpr std::size_t kBlockRows = 64;
// Rows packed at a time, to bound the memory of the packed copy.
constexpr std::size_t kBatchRows = 1024;

/// One call: rows of `in` packed into `rows`, tiles computed task by task.
struct Product {
  const PackedMatrix& weights;
  const ProductEpilogue& epilogue;
  FinishTile finish_tile;
  MatrixView<const float> in;
  MatrixView<float> out;
  std::byte* packed_rows;

  const GemmKernel& kernel() const { return weights.kernel(); }
  std::size_t row_panels() const { return (in.rows() + kernel().left.rows - 1) / kernel().left.rows; }
  std::byte* row_panel(std::size_t index, std::size_t first) const {
    return packed_rows +
           (index * weights.padded_inputs() + first) * kernel().left.rows * kernel().element_bytes;
  }

  void pack(std::size_t panel) const {
    const std::size_t first = panel * kernel().left.rows;
    const std::size_t count = std::min(kernel().left.rows, in.rows() - first);
    kernel().pack_left(in.row(first).data(), in.stride(), count, in.columns(), weights.padded_inputs(),
                       row_panel(panel, 0));
  }

  void finish(std::size_t row_index, std::size_t column_index, float* tile) const {
    const std::size_t row = row_index * kernel().left.rows, column = column_index * kernel().right.rows;
    const MatrixView<const float>& residual = epilogue.residual;
    const TileEpilogue mine{
        epilogue.scale, epilogue.bias == nullptr ? nullptr : epilogue.bias + column, epilogue.activation,
        residual.empty() ? nullptr : residual.data() + row * residual.stride() + column, residual.stride()};
    finish_tile(tile, kernel().right.rows, std::min(kernel().left.rows, in.rows() - row),
                std::min(kernel().right.rows, weights.outputs() - column), mine,
                out.data() + row * out.stride() + column, out.stride());
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
      const bool last = first + length == weights.padded_inputs();
      for (std::size_t column = column_begin; column < column_end; ++column) {
        const std::byte* const right = weights.panel(column, first);
        for (std::size_t row = row_begin; row < row_end; ++row) {
          float* const tile =
              cut ? tiles + ((column - column_begin) * rows + (row - row_begin)) * tile_size : tiles;
          kernel().multiply(row_panel(row, first), right, length, tile, first > 0);
          if (last) finish(row, column, tile);
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
  const std::size_t block_panels = std::max<std::size_t>(1, kBlockRows / product.kernel().left.rows);
  const std::size_t row_panels = product.row_panels();
  const std::size_t row_blocks = (row_panels + block_panels - 1) / block_panels;
  const std::size_t column_panels = product.weights.panels();
  const std::size_t group = group_size(column_panels, row_blocks, pool.size());
  const std::size_t groups = (column_panels + group - 1) / group;
  // One loop for both steps: items start in order, so all packing has started before the first tile is asked
  // for.
  std::atomic<std::size_t> packed{0};
  pool.for_each(row_panels + row_blocks * groups, [&](std::size_t item, std::size_t) {
    if (item < row_panels) {
      product.pack(item);
      packed.fetch_add(1, std::memory_order_release);
      return;
    }
    for (int spins = 0; packed.load(std::memory_order_acquire) != row_panels;) {
      if (++spins > 1000) std::this_thread::yield();
    }
    const std::size_t row = (item - row_panels) / groups * block_panels;
    const std::size_t column = (item - row_panels) % groups * group;
    product.compute(row, std::min(row + block_panels, row_panels), column,
                    std::min(column + group, column_panels));
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
  const std::size_t batch = round_up(std::min(in.rows(), kBatchRows), kernel.left.rows);
  std::byte* const packed_rows =
      scratch.get<std::byte>(batch * weights.padded_inputs() * kernel.element_bytes);
  for (std::size_t first = 0; first < in.rows(); first += batch) {
    const std::size_t count = std::min(batch, in.rows() - first);
    ProductEpilogue mine = epilogue;
    if (!mine.residual.empty()) mine.residual = epilogue.residual.rows_from(first, count);
    run({weights, mine, finish_tile, in.rows_from(first, count), out.rows_from(first, count), packed_rows},
        pool);
  }
}

}  // namespace markeval::compute::cpu
