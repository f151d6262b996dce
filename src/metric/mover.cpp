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

double distance_of(double product, double from_square, double to_square, MoverDistance distance) {
  if (distance == MoverDistance::cosine) return std::max(0.0, 1 - product);
  const double squared = std::max(0.0, from_square + to_square - 2 * product);
  return distance == MoverDistance::euclidean ? std::sqrt(squared) : squared;
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
  products_.resize(from.rows() * to.rows());
  const MatrixView<float> products(products_.data(), from.rows(), to.rows());
  geometry::sequential_inner_products(from.view(), to.view(), products);
  squared_lengths(from, from_squares_);
  squared_lengths(to, to_squares_);
  distances_.resize(products_.size());
  for (std::size_t row = 0; row < from.rows(); ++row) {
    for (std::size_t column = 0; column < to.rows(); ++column) {
      float squared = static_cast<float>(to_squares_[column]) - 2 * products(row, column);
      squared += static_cast<float>(from_squares_[row]);
      distances_[row * to.rows() + column] = std::sqrt(std::max(squared, 1e-30f));
    }
  }
}

void Mover::distances(const TokenRows& from, const TokenRows& to, MoverDistance distance) {
  products_.resize(from.rows() * to.rows());
  const MatrixView<float> products(products_.data(), from.rows(), to.rows());
  geometry::inner_products(from.view(), to.view(), products);
  squared_lengths(from, from_squares_);
  squared_lengths(to, to_squares_);
  distances_.resize(products_.size());
  for (std::size_t row = 0; row < from.rows(); ++row) {
    for (std::size_t column = 0; column < to.rows(); ++column) {
      distances_[row * to.rows() + column] =
          distance_of(products(row, column), from_squares_[row], to_squares_[column], distance);
    }
  }
}

double Mover::largest_distance(const TokenRows& rows, MoverDistance distance) {
  constexpr std::size_t kRows = 4;  // against themselves and those below: the rest is the same again
  squared_lengths(rows, from_squares_);
  products_.resize(kRows * rows.rows());
  double largest = 0;
  for (std::size_t begin = 0; begin < rows.rows(); begin += kRows) {
    const std::size_t count = std::min(kRows, rows.rows() - begin), below = rows.rows() - begin;
    const float* first = rows.view().row(begin).data();
    const MatrixView<float> products(products_.data(), count, below);
    geometry::inner_products({first, count, rows.columns}, {first, below, rows.columns}, products);
    for (std::size_t row = 0; row < count; ++row) {
      for (std::size_t column = 0; column < below; ++column) {
        largest = std::max(largest, distance_of(products(row, column), from_squares_[begin + row],
                                                from_squares_[begin + column], distance));
      }
    }
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
  masses(candidate, 0, true, demand_);
  masses(reference, 0, true, supply_);
  PrecisionRecall result;
  for (std::size_t row = 0; row < candidate.rows(); ++row)
    result.precision += demand_[row] * candidate_matches_[row].similarity;
  for (std::size_t row = 0; row < reference.rows(); ++row)
    result.recall += supply_[row] * reference_matches_[row].similarity;
  result.f1 = harmonic_mean(result.precision, result.recall);
  return result;
}

}  // namespace markeval::metric
