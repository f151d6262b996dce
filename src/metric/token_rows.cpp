// Choice of rows, weighted sums or means for n-grams, and scaling to length 1.
#include "metric/token_rows.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/sum_of_squares.hpp"

namespace markeval::metric {

TokenRows chosen_rows(MatrixView<const float> vectors, std::span<const double> weights,
                      std::span<const std::uint32_t> chosen) {
  assert(vectors.rows() == weights.size());
  TokenRows rows;
  rows.columns = vectors.columns();
  rows.values.reserve(chosen.size() * rows.columns);
  for (const std::uint32_t token : chosen) {
    const std::span<const float> row = vectors.row(token);
    rows.values.insert(rows.values.end(), row.begin(), row.end());
    rows.weights.push_back(weights[token]);
    rows.first.push_back(token);
    rows.last.push_back(token);
  }
  return rows;
}

TokenRows ngram_rows(MatrixView<const float> vectors, std::span<const double> weights,
                     std::span<const std::uint32_t> chosen, std::size_t n, double epsilon, NgramVector form) {
  assert(vectors.rows() == weights.size());
  TokenRows rows;
  rows.columns = vectors.columns();
  if (chosen.empty()) return rows;
  const std::size_t size = n == 0 ? chosen.size() : std::min(n, chosen.size());
  const std::size_t windows = chosen.size() - size + 1;
  rows.values.resize(windows * rows.columns);
  std::vector<double> sum(rows.columns);
  for (std::size_t window = 0; window < windows; ++window) {
    const std::span<const std::uint32_t> tokens = chosen.subspan(window, size);
    double total = 0;
    for (const std::uint32_t token : tokens) total += weights[token];
    std::ranges::fill(sum, 0);
    for (const std::uint32_t token : tokens) {
      if (weights[token] == 0) continue;
      const double share = form == NgramVector::sum ? weights[token] : weights[token] / (total + epsilon);
      const std::span<const float> vector = vectors.row(token);
      for (std::size_t column = 0; column < sum.size(); ++column) sum[column] += share * vector[column];
    }
    float* out = rows.values.data() + window * rows.columns;
    for (std::size_t column = 0; column < sum.size(); ++column) out[column] = static_cast<float>(sum[column]);
    rows.weights.push_back(total);
    rows.first.push_back(tokens.front());
    rows.last.push_back(tokens.back());
  }
  return rows;
}

bool weightless(std::span<const double> weights) {
  return std::ranges::all_of(weights, [](double weight) { return weight == 0; });
}

void drop_weightless(TokenRows& rows) {
  if (weightless(rows.weights)) return;
  std::size_t kept = 0;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    if (rows.weights[row] == 0) continue;
    if (kept != row) {
      std::copy_n(rows.values.data() + row * rows.columns, rows.columns,
                  rows.values.data() + kept * rows.columns);
      rows.weights[kept] = rows.weights[row];
      rows.first[kept] = rows.first[row];
      rows.last[kept] = rows.last[row];
    }
    ++kept;
  }
  rows.values.resize(kept * rows.columns);
  rows.weights.resize(kept);
  rows.first.resize(kept);
  rows.last.resize(kept);
}

void normalize_rows(TokenRows& token_rows, double epsilon) {
  const MatrixView<float> rows = token_rows.view();
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const double length = std::sqrt(sum_of_squares(rows.row(row))) + epsilon;
    if (length == 0) continue;
    const double scale = 1 / length;
    for (float& value : rows.row(row)) value = static_cast<float>(value * scale);
  }
}

}  // namespace markeval::metric
