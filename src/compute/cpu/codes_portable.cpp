// Product of int8 rows in plain C++.
#include "compute/cpu/kernels.hpp"
#include "compute/cpu/pack.hpp"

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

constexpr std::size_t kRows = 4, kColumns = 8;

void multiply(const void* query, const void* base, std::size_t length, std::int32_t* tile) {
  const auto* a = static_cast<const std::int16_t*>(query);
  const auto* b = static_cast<const std::int16_t*>(base);
  std::int32_t sum[kRows][kColumns] = {};
  for (std::size_t k = 0; k < length; ++k, a += kRows, b += kColumns) {
    for (std::size_t row = 0; row < kRows; ++row) {
      for (std::size_t column = 0; column < kColumns; ++column) sum[row][column] += a[row] * b[column];
    }
  }
  __builtin_memcpy(tile, sum, sizeof sum);
}

}  // namespace

extern const CodeKernel kCodes;
const CodeKernel kCodes{.query = {kRows, 1},
                        .base = {kColumns, 1},
                        .depth = 1,
                        .query_bytes = 2,
                        .base_bytes = 2,
                        .base_extra_bytes = 0,
                        .pack_query = pack_panel<AsInt16, kRows, 1, std::int8_t>,
                        .pack_base = pack_panel<AsInt16, kColumns, 1, std::int8_t>,
                        .multiply = multiply};

}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
