// Pearson's coefficient from z-scores; Spearman's from doubled, centred ranks, whose sums are exact.
#include "meta/correlation.hpp"

#include <algorithm>
#include <cmath>

#include "meta/values.hpp"

namespace markeval::meta {
namespace {

/// Fills `ranks[c]` with twice the mean rank of class c, measured from the middle: 2 * rank - (n + 1). A
/// whole number, so sums of products are exact up to 2^53. Returns the sum of squares over all rows.
double centred_class_ranks(std::span<const std::uint32_t> values, std::uint32_t classes,
                           std::vector<double>& ranks) {
  ranks.assign(classes, 0);
  for (const std::uint32_t value : values) ranks[value] += 1;
  const double rows = static_cast<double>(values.size());
  double before = 0, squares = 0;
  for (double& rank : ranks) {
    const double count = rank;
    rank = 2 * before + count - rows;
    squares += count * rank * rank;
    before += count;
  }
  return squares;
}

}  // namespace

std::optional<double> pearson(std::span<const double> gold, std::span<const double> predicted) {
  require_pairs(gold, predicted);
  if (gold.size() < 2 || is_constant(gold) || is_constant(predicted)) return std::nullopt;
  const std::vector<double> x = z_scores(gold), y = z_scores(predicted);
  double products = 0, x_squares = 0, y_squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    products += x[i] * y[i];
    x_squares += x[i] * x[i];
    y_squares += y[i] * y[i];
  }
  return std::clamp(products / std::sqrt(x_squares * y_squares), -1.0, 1.0);
}

std::optional<double> spearman(std::span<const double> gold, std::span<const double> predicted) {
  require_pairs(gold, predicted);
  const DenseRanks x = dense_ranks(gold), y = dense_ranks(predicted);
  return SpearmanOfClasses()(x.rank, x.classes, y.rank, y.classes);
}

std::optional<double> SpearmanOfClasses::operator()(std::span<const std::uint32_t> gold,
                                                    std::uint32_t gold_classes,
                                                    std::span<const std::uint32_t> predicted,
                                                    std::uint32_t predicted_classes) {
  const double gold_squares = centred_class_ranks(gold, gold_classes, gold_ranks_);
  const double predicted_squares = centred_class_ranks(predicted, predicted_classes, predicted_ranks_);
  if (gold_squares == 0 || predicted_squares == 0) return std::nullopt;
  double products = 0;
  for (std::size_t i = 0; i < gold.size(); ++i)
    products += gold_ranks_[gold[i]] * predicted_ranks_[predicted[i]];
  return std::clamp(products / (std::sqrt(gold_squares) * std::sqrt(predicted_squares)), -1.0, 1.0);
}

}  // namespace markeval::meta
