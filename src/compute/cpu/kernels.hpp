// What a kernel is to the drivers of compute/cpu: the shape of a tile, a packed layout and a few functions.
// Every kernel is compiled once per instruction set into a namespace of its own; dispatch.cpp says which
// instruction set uses which, and how to add one.
//
// There is one packed layout, for rows of the left and of the right operand alike. Both have the summed
// dimension along the row. Rows are grouped into panels. Inside a panel, `depth` neighbouring elements of one
// row stand together, then as many of the next row; after the last row come the next `depth` elements:
//   panel[step][row][depth]
// Panels are padded with zeros to their full number of rows, rows to a multiple of the deeper side's depth.
// Plain FMA kernels have depth 1, dot product instructions 2 or 4, matrix instructions up to 64.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compute/bf16.hpp"
#include "compute/network_steps.hpp"

namespace markeval::compute::cpu {

/// One side of a tile.
struct PanelShape {
  std::size_t rows;
  std::size_t depth;
};

/// The left rows of a tile: a packed panel or, for a kernel that can read them, rows as they stand in their
/// matrix. Only those kernels look at the strides, which are in elements; a step is as many elements as the
/// left depth.
struct LeftRows {
  const void* data;
  std::size_t row_stride;
  std::size_t step_stride;
};

/// Values as compute::Activation orders them; kernels do not include the header of that.
enum class TileActivation { none, relu, gelu };

/// What is done to a finished tile on its way out.
struct TileEpilogue {
  float scale;
  const float* bias;  ///< of the tile's first column, or null
  TileActivation activation;
  const float* residual;  ///< of the tile's first element, or null
  std::size_t residual_stride;
};

inline constexpr std::size_t kLine = 64;  ///< bytes of a line of the cache

/// Lines of the cache to be asked for.
struct Lines {
  const std::byte* begin = nullptr;
  std::size_t count = 0;
};

/// Where a finished tile goes. A kernel may fetch these lines of memory while it multiplies, and `ahead` as
/// well: rows or weights that are needed next. Rows of a tile beyond the end of the matrix may lie outside
/// its memory: they may be fetched, not written.
struct TileTarget {
  void* data;                              ///< elements of float or Bf16
  std::size_t stride;                      ///< bytes from one row to the next
  std::size_t row_bytes;                   ///< of a full tile
  const TileEpilogue* epilogue = nullptr;  ///< for a kernel that `finishes`: it writes the whole tile there
  Lines ahead = {};
};

/// The product of float rows: f32 or bf16 panels, float32 sums.
struct GemmKernel {
  PanelShape left, right;
  std::size_t depth;          ///< inputs are padded to a multiple of this
  std::size_t element_bytes;  ///< of a packed element
  std::size_t input_block;    ///< a multiple of `depth`: longer sums are cut, so that panels fit the cache
  std::size_t row_block;      ///< left rows of a task: over one block of inputs they stay in the second cache
  /// Packs `count` <= panel rows of `columns` floats, padded to `padded` elements.
  void (*pack_left)(const float* rows, std::size_t stride, std::size_t count, std::size_t columns,
                    std::size_t padded, void* panel);
  /// As pack_left. Kernels of bf16 only, else null.
  void (*pack_left_bf16)(const Bf16* rows, std::size_t stride, std::size_t count, std::size_t columns,
                         std::size_t padded, void* panel) = nullptr;
  void (*pack_right)(const float* rows, std::size_t stride, std::size_t count, std::size_t columns,
                     std::size_t padded, void* panel);
  /// tile (left.rows x right.rows, row-major) = [tile +] left * transposed(right) over `length` elements.
  /// Every element of the tile is the same sequence of operations.
  void (*multiply)(LeftRows left, const void* right, std::size_t length, float* tile, bool accumulate,
                   TileTarget target);
  bool finishes = false;         ///< can write a full tile without activation to its target itself
  bool reads_rows = false;       ///< depth 1 only; rows that fill a panel are not packed then
  bool reads_bf16_rows = false;  ///< likewise rows of Bf16, their number of columns a multiple of the depth
  bool outruns_cache = false;    ///< multiplies faster than the third cache delivers the weights
  void (*begin)() = nullptr;     ///< called by a thread before its first tile of a task, where not null
  void (*end)() = nullptr;       ///< and after its last
};

/// The product of float64 rows, packed as panel[step][row].
struct DoubleKernel {
  std::size_t rows;     ///< of a left panel
  std::size_t columns;  ///< rows of a right panel
  /// tile (rows x columns, row-major) = [tile +] left * transposed(right) over `length` steps, in order.
  void (*multiply)(const double* left, const double* right, std::size_t length, double* tile,
                   bool accumulate);
};

/// Queries of a tile of coded pairs: -2 * scale, squared norm and limit, each number four times in a row, so
/// that a vector of four is one load.
struct CodedQueries {
  const float* scale;
  const float* squared_norm;
  const float* limit;
};
inline constexpr std::size_t kQueryCopies = 4;

/// Base rows of such a tile; arrays are padded to full panels.
struct CodedBases {
  const float* scale;
  const float* squared_norm;
  const float* limit;
};

/// CodedPair, counted from the tile's first row and column.
struct TilePair {
  std::uint32_t query;
  std::uint32_t base;
  float squared_distance;
};

/// The product of int8 rows, exact in int32.
struct CodeKernel {
  PanelShape query, base;
  std::size_t depth;
  std::size_t query_bytes;  ///< of a packed element: some kernels widen it to 16 bits
  std::size_t base_bytes;
  std::size_t base_extra_bytes;  ///< what pack_base writes behind the panel's codes, a multiple of 64
  double pair_cost = 10;         ///< PairOperations::pair_cost
  void (*pack_query)(const std::int8_t* rows, std::size_t stride, std::size_t count, std::size_t columns,
                     std::size_t padded, void* panel);
  void (*pack_base)(const std::int8_t* rows, std::size_t stride, std::size_t count, std::size_t columns,
                    std::size_t padded, void* panel);
  void (*multiply)(const void* query, const void* base, std::size_t length, std::int32_t* tile);
  void (*begin)() = nullptr;
  void (*end)() = nullptr;
};

/// tile: row-major, `tile_columns` wide (2 to 4 vectors). Writes rows x columns of it to `out`.
template <typename Out>
using FinishTile = void (*)(const float* tile, std::size_t tile_columns, std::size_t rows,
                            std::size_t columns, const TileEpilogue& epilogue, Out* out,
                            std::size_t out_stride);

/// The neighbour filter beside its product.
struct PairKernels {
  /// tile: products of codes, row-major, `tile_columns` wide: a kernel's base.rows, a multiple of the vector
  /// width. Writes the pairs within a limit, ordered by row, and returns how many; `found` has room for the
  /// whole tile.
  std::size_t (*select)(const std::int32_t* tile, std::size_t tile_columns, std::size_t rows,
                        const CodedQueries& queries, const CodedBases& bases, TilePair* found);
  /// query_norm + base_norm - 2 query_scale base_scale dot(query, base), by the same operations as `select`.
  /// `length` is a multiple of kRowPadding.
  float (*distance)(const std::int8_t* query, const std::int8_t* base, std::size_t length, float query_scale,
                    float query_norm, float base_scale, float base_norm);
};

/// Trained networks beside their products.
struct NetworkKernels {
  void (*lstm_step)(const LstmStep<float>& step);
  void (*mix_layers)(const MixedWord& mix);
};

/// Rows that are read one by one are padded to a multiple of this.
inline constexpr std::size_t kRowPadding = 64;

/// What one instruction set uses. `bf16` and `finish_tile_bf16` are null where there are none.
struct Kernels {
  const GemmKernel* f32;
  FinishTile<float> finish_tile;
  const CodeKernel* codes;
  const PairKernels* pairs;
  const DoubleKernel* f64;
  const NetworkKernels* networks;
  const GemmKernel* bf16 = nullptr;
  FinishTile<Bf16> finish_tile_bf16 = nullptr;
};

}  // namespace markeval::compute::cpu
