// A set of points as the user gave it: rows of float32 or float64. Values are read where they lie, never
// copied, and every value is exact in double, so "computed directly in double" means the same for both.
#pragma once

#include <cstddef>
#include <span>
#include <variant>

#include "base/matrix_view.hpp"

namespace markeval::geometry {

class Points {
 public:
  Points(MatrixView<const float> view) : view_(view) {}   // NOLINT(google-explicit-constructor)
  Points(MatrixView<const double> view) : view_(view) {}  // NOLINT(google-explicit-constructor)

  std::size_t rows() const {
    return std::visit([](const auto& view) { return view.rows(); }, view_);
  }
  std::size_t columns() const {
    return std::visit([](const auto& view) { return view.columns(); }, view_);
  }
  /// The row's values as doubles; `out.size()` must be columns().
  void copy_row(std::size_t row, std::span<double> out) const;

  /// Calls `visitor` with the MatrixView behind it.
  template <typename Visitor>
  decltype(auto) visit(Visitor&& visitor) const {
    return std::visit(std::forward<Visitor>(visitor), view_);
  }

 private:
  std::variant<MatrixView<const float>, MatrixView<const double>> view_;
};

}  // namespace markeval::geometry
