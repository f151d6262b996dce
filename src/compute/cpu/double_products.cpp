// Products of doubles: covariances, clusters, and gradients that are checked.
#include <algorithm>
#include <cassert>

#include "compute/cpu/cpu_products.hpp"
#include "compute/cpu/operand_panels.hpp"
#include "compute/cpu/scratch.hpp"

namespace markeval::compute::cpu {
namespace {

constexpr std::size_t kTaskPanels = 8;                 // panels of the left side in a task
constexpr std::size_t kSmallDoubleProduct = 1u << 14;  // multiplications not worth waking a thread for

/// Panel `index` of the rows of an operand: panel[step][row], rows behind the last one zero.
void pack_panel(Operand<double> rows, std::size_t index, std::size_t panel_rows, double* panel) {
  const std::size_t first = index * panel_rows, count = std::min(panel_rows, rows.rows() - first);
  const MatrixView<const double> matrix = rows.matrix;
  for (std::size_t step = 0; step < rows.columns(); ++step, panel += panel_rows) {
    for (std::size_t row = 0; row < count; ++row)
      panel[row] = rows.is_transposed ? matrix(step, first + row) : matrix(first + row, step);
    std::fill(panel + count, panel + panel_rows, 0.0);
  }
}

}  // namespace

void CpuProducts::pack(Operand<double> right, PackedOperand<double>& packed) const {
  const std::size_t width = kernels_.f64->columns;
  packed.rows = right.rows();
  packed.columns = right.columns();
  const std::size_t panels = divided_up(packed.columns, width), panel_size = packed.rows * width;
  if (packed.panels.size() < panels * panel_size) packed.panels = AlignedBuffer<double>(panels * panel_size);
  const Operand<double> columns{right.matrix, !right.is_transposed};
  for (std::size_t panel = 0; panel < panels; ++panel)
    pack_panel(columns, panel, width, packed.panels.data() + panel * panel_size);
}

void CpuProducts::multiply(Operand<double> left, const PackedOperand<double>& right, MatrixView<double> out,
                           bool accumulate) const {
  const DoubleKernel& kernel = *kernels_.f64;
  assert(left.columns() == right.rows && out.rows() == left.rows() && out.columns() == right.columns);
  if (out.empty()) return;
  const std::size_t left_panels = divided_up(left.rows(), kernel.rows);
  const std::size_t tasks = divided_up(left_panels, kTaskPanels);
  const auto run = [&](std::size_t task, std::size_t) {
    thread_local ScratchBuffer panel_scratch, tile_scratch;
    double* const panel = panel_scratch.get<double>(kernel.rows * right.rows);
    double* const tile = tile_scratch.get<double>(kernel.rows * kernel.columns);
    for (std::size_t row = task * kTaskPanels; row < std::min((task + 1) * kTaskPanels, left_panels); ++row) {
      pack_panel(left, row, kernel.rows, panel);
      const std::size_t first_row = row * kernel.rows, rows = std::min(kernel.rows, out.rows() - first_row);
      for (std::size_t first = 0; first < out.columns(); first += kernel.columns) {
        const std::size_t columns = std::min(kernel.columns, out.columns() - first);
        for (std::size_t i = 0; accumulate && i < rows; ++i)
          std::copy_n(out.row(first_row + i).data() + first, columns, tile + i * kernel.columns);
        kernel.multiply(panel, right.panels.data() + first * right.rows, right.rows, tile, accumulate);
        for (std::size_t i = 0; i < rows; ++i)
          std::copy_n(tile + i * kernel.columns, columns, out.row(first_row + i).data() + first);
      }
    }
  };
  if (tasks == 1 || out.rows() * out.columns() * right.rows < kSmallDoubleProduct) {
    for (std::size_t task = 0; task < tasks; ++task) run(task, 0);
  } else {
    pool_.for_each(tasks, run);
  }
}

}  // namespace markeval::compute::cpu
