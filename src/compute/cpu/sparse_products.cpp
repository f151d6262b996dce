// Products with rows of which dropout has left some columns, text by text: steps over a column that is 0 are
// left out. Half the columns of what goes into an LSTM are dropped, and its products are most of a training.
#include <algorithm>
#include <iterator>
#include <vector>

#include "compute/cpu/cpu_products.hpp"
#include "compute/cpu/operand_panels.hpp"
#include "compute/cpu/scratch.hpp"

namespace markeval::compute::cpu {
namespace {

// Outputs a task sums up: with as many inputs as an encoder is wide they stay in the second cache.
constexpr std::size_t kSumColumns = 96;
// Panels of a text's rows that are multiplied together.
constexpr std::size_t kTextPanels = 4;

/// Rows of one panel, all of the same text.
struct RowPanel {
  std::size_t first;
  std::size_t count;
  const KeptColumns* kept;
};

std::vector<RowPanel> row_panels(std::span<const KeptColumns> texts, std::size_t panel_rows) {
  std::vector<RowPanel> panels;
  for (const KeptColumns& text : texts) {
    for (std::size_t row = text.begin; row < text.end; row += panel_rows)
      panels.push_back({row, std::min(panel_rows, text.end - row), &text});
  }
  return panels;
}

/// The kept columns of a text, a few together: panel[row][column of these].
void gather_columns(MatrixView<const float> matrix, const KeptColumns& text, std::size_t panel_rows,
                    float* panels) {
  for (std::size_t first = 0; first < text.columns.size(); first += panel_rows) {
    const std::size_t count = std::min(panel_rows, text.columns.size() - first);
    for (std::size_t row = text.begin; row < text.end; ++row, panels += panel_rows) {
      const float* const from = matrix.row(row).data();
      for (std::size_t i = 0; i < count; ++i) panels[i] = from[text.columns[first + i]];
      std::fill(panels + count, panels + panel_rows, 0.0f);
    }
  }
}

void transpose(ThreadPool& pool, MatrixView<const float> from, MatrixView<float> to) {
  constexpr std::size_t kSquare = 16;
  pool.for_each(divided_up(from.rows(), kSquare), [&](std::size_t index, std::size_t) {
    const std::size_t begin = index * kSquare, end = std::min(begin + kSquare, from.rows());
    for (std::size_t first = 0; first < from.columns(); first += kSquare) {
      for (std::size_t column = first; column < std::min(first + kSquare, from.columns()); ++column) {
        for (std::size_t row = begin; row < end; ++row) to(column, row) = from(row, column);
      }
    }
  });
}

// No kernel has more rows in its tile.
constexpr std::size_t kMostTileRows = 16;

/// What a task of add_product works on: some columns of the left side, all of the right.
struct KeptColumnSums {
  const GemmKernel& kernel;
  std::size_t width;  ///< of a row of sums, a multiple of the kernel's columns
  float* sums;        ///< a row per column of the right side, and one for nothing

  /// Adds the rows of one text: `left` in panels of its columns, `right` as gather_columns() made it.
  void add(const KeptColumns& text, float* nothing, const float* left, const float* right) const {
    const std::size_t length = text.end - text.begin, tile_rows = kernel.left.rows;
    for (std::size_t first = 0; first < text.columns.size();
         first += tile_rows, right += length * tile_rows) {
      float* rows[kMostTileRows];
      for (std::size_t i = 0; i < tile_rows; ++i)
        rows[i] = first + i < text.columns.size() ? sums + text.columns[first + i] * width : nothing;
      for (std::size_t at = 0; at < width; at += kernel.right.rows) {
        kernel.add_to_rows(right, left + at * length, length, rows);
        for (std::size_t i = 0; i < tile_rows; ++i) rows[i] += kernel.right.rows;
      }
    }
  }
};

}  // namespace

void CpuProducts::multiply(SparseRows<float> left, const PackedOperand<float>& right,
                           MatrixView<float> out) const {
  if (left.kept.empty()) return multiply(as_is(left.matrix), right, out, false);
  const GemmKernel& kernel = *kernels_.f32;
  const std::size_t length = right.rows, tile_rows = kernel.left.rows, tile_columns = kernel.right.rows;
  const std::size_t left_size = length * tile_rows, right_size = length * tile_columns;
  const std::vector<RowPanel> panels = row_panels(left.kept, tile_rows);
  // Rows of the next text in a panel do no harm. Panels before this one are read as they stand.
  const auto whole = [&](const RowPanel& panel) { return panel.first + tile_rows <= left.matrix.rows(); };
  const std::size_t first_packed =
      kernel.reads_rows ? static_cast<std::size_t>(std::distance(
                              panels.begin(), std::partition_point(panels.begin(), panels.end(), whole)))
                        : 0;
  thread_local ScratchBuffer scratch;
  float* const packed = scratch.get<float>((panels.size() - first_packed) * left_size);
  pool_.for_each(panels.size() - first_packed, [&](std::size_t index, std::size_t) {
    const RowPanel& panel = panels[first_packed + index];
    kernel.pack_left(left.matrix.row(panel.first).data(), left.matrix.stride(),
                     whole(panel) ? tile_rows : panel.count, length, length, packed + index * left_size);
  });
  const auto left_rows = [&](std::size_t index) -> LeftRows {
    if (index < first_packed) return {left.matrix.row(panels[index].first).data(), left.matrix.stride(), 1};
    return {packed + (index - first_packed) * left_size, 1, tile_rows};
  };
  const std::size_t block = std::max<std::size_t>(1, kernel.row_block / tile_rows);
  const std::size_t blocks = divided_up(panels.size(), block);
  const std::size_t right_panels = divided_up(right.columns, tile_columns);
  const std::size_t groups = divided_up(right_panels, kGroupPanels);
  pool_.for_each(blocks * groups, [&](std::size_t item, std::size_t) {
    thread_local ScratchBuffer tile_scratch;
    float* const tile = tile_scratch.get<float>(tile_rows * tile_columns);
    const std::size_t row_begin = item / groups * block, column_begin = item % groups * kGroupPanels;
    for (std::size_t column = column_begin; column < std::min(column_begin + kGroupPanels, right_panels);
         ++column) {
      for (std::size_t index = row_begin; index < std::min(row_begin + block, panels.size()); ++index) {
        const RowPanel& panel = panels[index];
        kernel.multiply_steps(left_rows(index), right.panels.data() + column * right_size,
                              panel.kept->columns.data(), panel.kept->columns.size(), tile);
        write_tile(tile, tile_columns, panel.count,
                   std::min(tile_columns, out.columns() - column * tile_columns), false,
                   out.row(panel.first).data() + column * tile_columns, out.stride());
      }
    }
  });
}

void CpuProducts::add_product(MatrixView<const float> left, SparseRows<float> right,
                              MatrixView<float> out) const {
  if (right.kept.empty()) return multiply(transposed(left), as_is(right.matrix), out, true);
  const GemmKernel& kernel = *kernels_.f32;
  const std::size_t tile_rows = kernel.left.rows, tile_columns = kernel.right.rows;
  std::vector<std::size_t> panel_begin;  // of a text among the gathered panels
  std::size_t gathered_size = 0, longest = 0;
  for (const KeptColumns& text : right.kept) {
    const std::size_t rows = text.end - text.begin;
    panel_begin.push_back(gathered_size);
    gathered_size += rows * round_up(text.columns.size(), tile_rows);
    longest = std::max(longest, rows);
  }
  thread_local ScratchBuffer gathered_scratch;
  float* const gathered = gathered_scratch.get<float>(gathered_size);
  pool_.for_each(right.kept.size(), [&](std::size_t index, std::size_t) {
    gather_columns(right.matrix, right.kept[index], tile_rows, gathered + panel_begin[index]);
  });
  const std::size_t task_panels = std::max<std::size_t>(1, kSumColumns / tile_columns);
  const std::size_t panels = divided_up(left.columns(), tile_columns);
  pool_.for_each(divided_up(panels, task_panels), [&](std::size_t task, std::size_t) {
    thread_local ScratchBuffer sum_scratch, left_scratch;
    const std::size_t begin = task * task_panels, end = std::min(begin + task_panels, panels);
    const std::size_t width = (end - begin) * tile_columns, inputs = right.matrix.columns();
    const KeptColumnSums mine{kernel, width, sum_scratch.get<float>((inputs + 1) * width)};
    std::fill_n(mine.sums, (inputs + 1) * width, 0.0f);
    float* const packed = left_scratch.get<float>(longest * width);
    for (std::size_t index = 0; index < right.kept.size(); ++index) {
      const KeptColumns& text = right.kept[index];
      pack_columns(left.rows_from(text.begin, text.end - text.begin), begin, end, tile_columns, packed);
      mine.add(text, mine.sums + inputs * width, packed, gathered + panel_begin[index]);
    }
    const std::size_t first = begin * tile_columns, count = std::min(width, left.columns() - first);
    for (std::size_t row = 0; row < count; ++row) {
      float* const to = out.row(first + row).data();
      for (std::size_t column = 0; column < inputs; ++column) to[column] += mine.sums[column * width + row];
    }
  });
}

void CpuProducts::multiply_columns(MatrixView<const float> left, MatrixView<const float> right,
                                   std::span<const KeptColumns> kept, MatrixView<float> out) const {
  const GemmKernel& kernel = *kernels_.f32;
  if (kept.empty() || kernel.multiply_rows == nullptr) return multiply(as_is(left), as_is(right), out);
  const std::size_t tile_rows = kernel.left.rows, tile_columns = kernel.right.rows, length = right.rows();
  thread_local ScratchBuffer turned_scratch;
  const MatrixView<float> turned(turned_scratch.get<float>(right.columns() * length), right.columns(),
                                 length);
  transpose(pool_, right, turned);
  // A text's rows are the columns of its tiles; a text with many is cut.
  const std::vector<RowPanel> panels = row_panels(kept, kTextPanels * tile_columns);
  pool_.for_each(panels.size(), [&](std::size_t index, std::size_t) {
    thread_local ScratchBuffer row_scratch, tile_scratch;
    const RowPanel& panel = panels[index];
    const std::span<const std::uint32_t> columns = panel.kept->columns;
    const std::size_t row_panels = divided_up(panel.count, tile_columns);
    float* const rows = row_scratch.get<float>(row_panels * tile_columns * length);
    for (std::size_t i = 0; i < row_panels; ++i) {
      const std::size_t row = panel.first + i * tile_columns;
      kernel.pack_right(left.row(row).data(), left.stride(),
                        std::min(tile_columns, panel.first + panel.count - row), length, length,
                        rows + i * tile_columns * length);
    }
    for (std::size_t row = panel.first; row < panel.first + panel.count; ++row)
      std::fill_n(out.row(row).data(), out.columns(), 0.0f);
    float* const tile = tile_scratch.get<float>(tile_rows * tile_columns);
    for (std::size_t first = 0; first < columns.size(); first += tile_rows) {
      const float* from[kMostTileRows];
      const std::size_t count = std::min(tile_rows, columns.size() - first);
      for (std::size_t i = 0; i < tile_rows; ++i)
        from[i] = turned.row(columns[first + std::min(i, count - 1)]).data();
      for (std::size_t at = 0; at < panel.count; at += tile_columns) {
        kernel.multiply_rows(from, rows + at * length, length, tile);
        for (std::size_t row = 0; row < std::min(tile_columns, panel.count - at); ++row) {
          float* const to = out.row(panel.first + at + row).data();
          for (std::size_t i = 0; i < count; ++i) to[columns[first + i]] = tile[i * tile_columns + row];
        }
      }
    }
  });
}

}  // namespace markeval::compute::cpu
