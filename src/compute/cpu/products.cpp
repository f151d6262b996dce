// Products of float32. Both sides are laid out as panels of the float32 kernel, the left one only where the
// kernel cannot read its rows as they stand.
//
// What must hold: every element is one sum in the order of the summed dimension, with fused multiply-adds, so
// the cut into tasks and panels does not show in the bits.

#include <algorithm>
#include <cassert>

#include "compute/cpu/cpu_products.hpp"
#include "compute/cpu/operand_panels.hpp"
#include "compute/cpu/scratch.hpp"

namespace markeval::compute::cpu {
namespace {

// Panels packed together.
constexpr std::size_t kPackPanels = 8;
// Products of fewer multiplications are not worth waking a thread for.
constexpr std::size_t kSmallProduct = 1u << 16;

using PackRows = void (*)(const float*, std::size_t, std::size_t, std::size_t, std::size_t, void*);

/// Panels [begin, end) of `rows`, whose rows are summed over (the kernels' depth is 1 for float32).
void pack_panels(Operand<float> rows, std::size_t begin, std::size_t end, std::size_t panel_rows,
                 PackRows pack_rows, float* panels) {
  if (rows.is_transposed) return pack_columns(rows.matrix, begin, end, panel_rows, panels);
  for (std::size_t index = begin; index < end; ++index, panels += rows.columns() * panel_rows) {
    const std::size_t first = index * panel_rows;
    pack_rows(rows.matrix.row(first).data(), rows.matrix.stride(), std::min(panel_rows, rows.rows() - first),
              rows.columns(), rows.columns(), panels);
  }
}

/// Calls `body(index)` for all indices, with the pool only where that pays.
template <typename Body>
void spread(ThreadPool& pool, std::size_t count, bool small, const Body& body) {
  if (small || count == 1) {
    for (std::size_t index = 0; index < count; ++index) body(index);
  } else {
    pool.for_each(count, [&](std::size_t index, std::size_t) { body(index); });
  }
}

}  // namespace

CpuProducts::CpuProducts(const Kernels& kernels, ThreadPool& pool) : pool_(pool), kernels_(kernels) {
  assert(kernels.f32->depth == 1 && kernels.f32->element_bytes == sizeof(float));
}

void CpuProducts::pack(Operand<float> right, PackedOperand<float>& packed) const {
  const GemmKernel& kernel = *kernels_.f32;
  packed.rows = right.rows();
  packed.columns = right.columns();
  const std::size_t panels = divided_up(packed.columns, kernel.right.rows);
  const std::size_t panel_size = packed.rows * kernel.right.rows;
  if (packed.panels.size() < panels * panel_size) packed.panels = AlignedBuffer<float>(panels * panel_size);
  const Operand<float> rows{right.matrix, !right.is_transposed};
  const std::size_t tasks = divided_up(panels, kPackPanels);
  spread(pool_, tasks, panels * panel_size < kSmallProduct, [&](std::size_t task) {
    const std::size_t begin = task * kPackPanels, end = std::min(begin + kPackPanels, panels);
    pack_panels(rows, begin, end, kernel.right.rows, kernel.pack_right,
                packed.panels.data() + begin * panel_size);
  });
}

void CpuProducts::multiply(Operand<float> left, const PackedOperand<float>& right, MatrixView<float> out,
                           bool accumulate) const {
  const GemmKernel& kernel = *kernels_.f32;
  const std::size_t length = right.rows;
  assert(left.columns() == length && out.rows() == left.rows() && out.columns() == right.columns);
  if (out.empty()) return;
  const std::size_t left_panels = divided_up(left.rows(), kernel.left.rows);
  const std::size_t right_panels = divided_up(right.columns, kernel.right.rows);
  const std::size_t left_size = length * kernel.left.rows, right_size = length * kernel.right.rows;
  const bool small = out.rows() * out.columns() * length < kSmallProduct;
  thread_local ScratchBuffer scratch;
  // Panels before this one are read as they stand.
  const std::size_t first_packed =
      kernel.reads_rows && !left.is_transposed ? left.rows() / kernel.left.rows : 0;
  float* const packed = scratch.get<float>((left_panels - first_packed) * left_size);
  const std::size_t to_pack = left_panels - first_packed;
  spread(pool_, divided_up(to_pack, kPackPanels), small, [&](std::size_t task) {
    const std::size_t begin = task * kPackPanels, end = std::min(begin + kPackPanels, to_pack);
    pack_panels(left, first_packed + begin, first_packed + end, kernel.left.rows, kernel.pack_left,
                packed + begin * left_size);
  });
  const auto left_rows = [&](std::size_t panel) -> LeftRows {
    if (panel < first_packed)
      return {left.matrix.row(panel * kernel.left.rows).data(), left.matrix.stride(), 1};
    return {packed + (panel - first_packed) * left_size, 1, kernel.left.rows};
  };
  const std::size_t block = std::max<std::size_t>(1, kernel.row_block / kernel.left.rows);
  const std::size_t blocks = divided_up(left_panels, block);
  const std::size_t groups = divided_up(right_panels, kGroupPanels);
  spread(pool_, blocks * groups, small, [&](std::size_t item) {
    thread_local ScratchBuffer tile_scratch;
    float* const tile = tile_scratch.get<float>(kernel.left.rows * kernel.right.rows);
    const std::size_t row_begin = item / groups * block, column_begin = item % groups * kGroupPanels;
    const std::size_t row_end = std::min(row_begin + block, left_panels);
    const std::size_t column_end = std::min(column_begin + kGroupPanels, right_panels);
    if (kernel.begin != nullptr) kernel.begin();
    for (std::size_t column = column_begin; column < column_end; ++column) {
      const std::size_t next = column + 1 < right_panels ? column + 1 : 0;
      const Lines next_panel{reinterpret_cast<const std::byte*>(right.panels.data() + next * right_size),
                             right_size * sizeof(float) / kLine};
      for (std::size_t row = row_begin; row < row_end; ++row) {
        const std::size_t first_row = row * kernel.left.rows, first_column = column * kernel.right.rows;
        const std::size_t rows = std::min(kernel.left.rows, out.rows() - first_row);
        const std::size_t columns = std::min(kernel.right.rows, out.columns() - first_column);
        float* const target = out.data() + first_row * out.stride() + first_column;
        const TileEpilogue epilogue{.scale = 1,
                                    .bias = nullptr,
                                    .activation = TileActivation::none,
                                    .residual = accumulate ? target : nullptr,
                                    .residual_stride = out.stride()};
        const bool by_kernel = kernel.finishes && rows == kernel.left.rows && columns == kernel.right.rows;
        kernel.multiply(left_rows(row), right.panels.data() + column * right_size, length, tile, false,
                        {.data = target,
                         .stride = out.stride() * sizeof(float),
                         .row_bytes = kernel.right.rows * sizeof(float),
                         .epilogue = by_kernel ? &epilogue : nullptr,
                         .ahead = share(next_panel, row - row_begin, row_end - row_begin)});
        if (!by_kernel) write_tile(tile, kernel.right.rows, rows, columns, accumulate, target, out.stride());
      }
    }
    if (kernel.end != nullptr) kernel.end();
  });
}

}  // namespace markeval::compute::cpu
