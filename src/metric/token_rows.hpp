// What a pair metric sees of one text: rows with weights. A row is a token, an n-gram or the whole sentence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/matrix_view.hpp"

namespace markeval::metric {

struct TokenRows {
  std::size_t columns = 0;
  std::vector<float> values;         ///< row after row
  std::vector<double> weights;       ///< one per row, none negative
  std::vector<std::uint32_t> first;  ///< per row: its first token in the text
  std::vector<std::uint32_t> last;   ///< per row: its last token
  // Where a metric wants them:
  std::vector<double> part_weights{};  ///< part after part, one per row (PairMetric::parts)
  std::vector<float> pooled{};         ///< one vector of the whole text
  double spread = 0;                   ///< largest squared distance of two rows, where a metric asks for it

  std::size_t rows() const { return weights.size(); }
  bool empty() const { return weights.empty(); }
  MatrixView<const float> view() const { return {values.data(), rows(), columns}; }
  MatrixView<float> view() { return {values.data(), rows(), columns}; }
  /// The columns of one of `parts` vectors that stand side by side in every row.
  MatrixView<const float> part(std::size_t index, std::size_t parts) const {
    return {values.data() + index * (columns / parts), rows(), columns / parts, columns};
  }
};

/// Rows `chosen` of `vectors` with the weights at the same places.
TokenRows chosen_rows(MatrixView<const float> vectors, std::span<const double> weights,
                      std::span<const std::uint32_t> chosen);

/// What an n-gram's vector is: the mean of its tokens' vectors, or their sum (Zhao et al. 2019, eq. 1).
enum class NgramVector { mean, sum };

/// One row per window of `n` chosen tokens that stand next to each other among the chosen, step 1; fewer than
/// n: one window of all; n = 0: one window of all, the sentence. A window weighs the sum of its tokens'
/// weights, its row is the sum of weight / (that sum + epsilon) x vector, or of weight x vector. A window
/// without weight has a row of zeros and weighs nothing.
TokenRows ngram_rows(MatrixView<const float> vectors, std::span<const double> weights,
                     std::span<const std::uint32_t> chosen, std::size_t n, double epsilon = 0,
                     NgramVector form = NgramVector::mean);

/// Whether every weight is zero.
bool weightless(std::span<const double> weights);

/// Takes the rows without weight out, unless all are.
void drop_weightless(TokenRows& rows);

/// Every row divided by its length plus `epsilon`; a row of zeros stays one. Lengths are taken in double.
void normalize_rows(TokenRows& rows, double epsilon = 0);

}  // namespace markeval::metric
