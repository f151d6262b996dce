#include "metric/mover.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/sum_of_squares.hpp"
#include "geometry/small_products.hpp"

namespace markeval::metric {
namespace {

constexpr double kMassEpsilonV1 = 1e-5;
constexpr double kMassEpsilonV2 = 1e-30;

double sum_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

/// Weights as masses. No compat: they sum to 1, and equal ones stand in where all are zero.
void masses(const TokenRows& rows, double epsilon, bool equal_for_none, std::vector<double>& out) {
  out = rows.weights;
  if (equal_for_none && weightless(out)) std::fill(out.begin(), out.end(), 1);
  const double total = sum_of(out) + epsilon;
  for (double& mass : out) mass /= total;
}

void squared_lengths(const TokenRows& rows, std::vector<double>& out) {
  out.resize(rows.rows());
  const auto view = rows.view();
  for (std::size_t row = 0; row < rows.rows(); ++row) out[row] = sum_of_squares(view.row(row));
}

/// The distances of all pairs of rows, in the caller's memory.
void all_distances(MatrixView<const float> from, MatrixView<const float> to, MoverDistance distance,
                   MatrixView<float> out) {
  if (distance == MoverDistance::cosine) {
    geometry::cosines(from, to, out);
  } else {
    geometry::squared_distances(from, to, out);
  }
  for (float* value = out.data(); value != out.data() + from.rows() * to.rows(); ++value) {
    if (distance == MoverDistance::cosine) *value = 1 - *value;
    if (distance == MoverDistance::euclidean) *value = std::sqrt(*value);
  }
}

}  // namespace

MoverEpsilons epsilons(MoverCompat compat) {
  switch (compat) {
    case MoverCompat::v1:
      return {1e-5, 1e-6};
    case MoverCompat::v2:
      return {0, 1e-30};
    case MoverCompat::none:
      break;
  }
  return {};
}

void Mover::single_precision_distances(const TokenRows& from, const TokenRows& to) {
  floats_.resize(from.rows() * to.rows());
  const MatrixView<float> products(floats_.data(), from.rows(), to.rows());
  geometry::sequential_inner_products(from.view(), to.view(), products);
  squared_lengths(from, from_squares_);
  squared_lengths(to, to_squares_);
  distances_.resize(floats_.size());
  for (std::size_t row = 0; row < from.rows(); ++row) {
    for (std::size_t column = 0; column < to.rows(); ++column) {
      float squared = static_cast<float>(to_squares_[column]) - 2 * products(row, column);
      squared += static_cast<float>(from_squares_[row]);
      distances_[row * to.rows() + column] = std::sqrt(std::max(squared, 1e-30f));
    }
  }
}

void Mover::distances(const TokenRows& from, const TokenRows& to, MoverDistance distance) {
  floats_.resize(from.rows() * to.rows());
  all_distances(from.view(), to.view(), distance, {floats_.data(), from.rows(), to.rows()});
  distances_.assign(floats_.begin(), floats_.end());
}

double Mover::largest_distance(const TokenRows& rows, MoverDistance distance) {
  constexpr std::size_t kRows = 4;  // against themselves and those below: the rest is the same again
  floats_.resize(kRows * rows.rows());
  float largest = 0;
  for (std::size_t begin = 0; begin < rows.rows(); begin += kRows) {
    const std::size_t count = std::min(kRows, rows.rows() - begin), below = rows.rows() - begin;
    const float* first = rows.view().row(begin).data();
    all_distances({first, count, rows.columns}, {first, below, rows.columns}, distance,
                  {floats_.data(), count, below});
    largest = std::max(
        largest,
        *std::max_element(floats_.begin(), floats_.begin() + static_cast<std::ptrdiff_t>(count * below)));
  }
  return largest;
}

double Mover::score(const TokenRows& candidate, const TokenRows& reference, const MoverOptions& options) {
  assert(!candidate.empty() && !reference.empty());
  const bool v1 = options.compat == MoverCompat::v1;
  const bool v2 = options.compat == MoverCompat::v2;
  const double epsilon = v1 ? kMassEpsilonV1 : v2 ? kMassEpsilonV2 : 0;
  masses(reference, epsilon, options.compat == MoverCompat::none, supply_);
  masses(candidate, epsilon, options.compat == MoverCompat::none, demand_);
  double largest = 0;
  if (v1)
    largest = std::max(largest_distance(candidate, options.distance),
                       largest_distance(reference, options.distance));
  if (v2) {
    single_precision_distances(reference, candidate);
  } else {
    distances(reference, candidate, options.distance);
  }
  const MatrixView<const double> costs(distances_.data(), reference.rows(), candidate.rows());
  const geometry::TransportCost moved = solver_.solve(supply_, demand_, costs);
  if (v2) return 1 / (1 + moved.cost);
  if (!v1) return 1 - moved.cost;
  largest = std::max(largest, *std::max_element(distances_.begin(), distances_.end()));
  return 1 - (moved.cost + std::abs(moved.surplus) * largest);
}

PrecisionRecall Mover::hard(const TokenRows& candidate, const TokenRows& reference,
                            const MoverOptions& options) {
  assert(!candidate.empty() && !reference.empty());
  distances(candidate, reference, options.distance);
  candidate_matches_.assign(candidate.rows(), {});
  reference_matches_.assign(reference.rows(), {});
  for (std::size_t row = 0; row < candidate.rows(); ++row) {
    Match& best = candidate_matches_[row];
    for (std::size_t column = 0; column < reference.rows(); ++column) {
      const double similarity = 1 - distances_[row * reference.rows() + column];
      Match& other = reference_matches_[column];
      if (column == 0 || similarity > best.similarity)
        best = {static_cast<std::uint32_t>(column), similarity};
      if (row == 0 || similarity > other.similarity) other = {static_cast<std::uint32_t>(row), similarity};
    }
  }
  PrecisionRecall result;
  result.precision = weighted_mean(candidate_matches_, candidate.weights);
  result.recall = weighted_mean(reference_matches_, reference.weights);
  result.f1 = harmonic_mean(result.precision, result.recall);
  return result;
}

}  // namespace markeval::metric
