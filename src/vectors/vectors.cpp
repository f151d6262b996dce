#include "vectors/vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace markeval::vectors {
namespace {

// Squared distances are summed in double: the square of any float fits, that of a double need not.
template <typename T>
constexpr T kLargestValue = std::numeric_limits<T>::max();
template <>
constexpr double kLargestValue<double> = 1e150;

template <typename T>
Vectors stack_as(std::span<const Vectors> parts, std::size_t rows, std::size_t columns, std::string name) {
  ByteStore bytes("");
  T* out = reinterpret_cast<T*>(bytes.extend(rows * columns * sizeof(T)).data());
  const MatrixView<const T> all(out, rows, columns);
  for (const Vectors& part : parts) {
    std::visit(
        [&](const auto& view) {
          for (std::size_t row = 0; row < view.rows(); ++row) {
            out = std::transform(view.row(row).begin(), view.row(row).end(), out,
                                 [](auto value) { return static_cast<T>(value); });
          }
        },
        part.view());
  }
  return {std::move(name), all, std::move(bytes)};
}

}  // namespace

void require_finite(const Vectors& vectors, ThreadPool& pool) {
  constexpr std::size_t kBlock = 1024;
  const std::size_t blocks = (vectors.rows() + kBlock - 1) / kBlock;
  pool.for_each(blocks, [&](std::size_t block, std::size_t) {
    std::visit(
        [&](const auto& view) {
          const std::size_t end = std::min(view.rows(), (block + 1) * kBlock);
          for (std::size_t row = block * kBlock; row < end; ++row) {
            const auto values = view.row(row);
            const auto bad = std::find_if_not(values.begin(), values.end(), [](auto value) {
              return std::abs(value) <= kLargestValue<decltype(value)>;
            });
            if (bad == values.end()) continue;
            const std::string place =
                fmt::format("{}: row {}, column {} is", vectors.name(), row + 1, bad - values.begin() + 1);
            if (std::isfinite(*bad))
              throw_invalid(fmt::format("{} {:.3g}, too large: its square overflows", place, *bad));
            throw_invalid(
                fmt::format("{} {}, expected a finite number", place, std::isnan(*bad) ? "NaN" : "infinite"));
          }
        },
        vectors.view());
  });
}

Vectors stack(std::span<const Vectors> parts) {
  std::size_t rows = 0;
  bool wide = false;
  std::string name;
  for (const Vectors& part : parts) {
    assert(part.columns() == parts.front().columns());
    rows += part.rows();
    wide = wide || std::holds_alternative<MatrixView<const double>>(part.view());
    name += (name.empty() ? "" : " + ") + part.name();
  }
  const std::size_t columns = parts.front().columns();
  return wide ? stack_as<double>(parts, rows, columns, name) : stack_as<float>(parts, rows, columns, name);
}

}  // namespace markeval::vectors
