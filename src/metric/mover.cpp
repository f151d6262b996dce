// Masses from weights, distances from the device's relations, then the transport solver or the nearest rows.
#include "metric/mover.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/sum_of_squares.hpp"

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
  if (equal_for_none && weightless(out)) std::ranges::fill(out, 1);
  const double total = sum_of(out) + epsilon;
  for (double& mass : out) mass /= total;
}

void squared_lengths(const TokenRows& rows, std::vector<double>& out) {
  out.resize(rows.rows());
  const auto view = rows.view();
  for (std::size_t row = 0; row < rows.rows(); ++row) out[row] = sum_of_squares(view.row(row));
}

float distance_of(float relation, MoverDistance distance) {
  if (distance == MoverDistance::cosine) return 1 - relation;
  return distance == MoverDistance::euclidean ? std::sqrt(relation) : relation;
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

compute::RowRelation Mover::relation(const MoverOptions& options) {
  if (options.compat == MoverCompat::v2) return compute::RowRelation::inner_product;
  return options.distance == MoverDistance::cosine ? compute::RowRelation::cosine
                                                   : compute::RowRelation::squared_distance;
}

void Mover::single_precision_distances(const TokenRows& candidate, const TokenRows& reference,
                                       MatrixView<const float> products) {
  squared_lengths(candidate, candidate_squares_);
  squared_lengths(reference, reference_squares_);
  distances_.resize(candidate.rows() * reference.rows());
  for (std::size_t row = 0; row < reference.rows(); ++row) {
    for (std::size_t column = 0; column < candidate.rows(); ++column) {
      float squared = static_cast<float>(candidate_squares_[column]) - 2 * products(column, row);
      squared += static_cast<float>(reference_squares_[row]);
      distances_[row * candidate.rows() + column] = std::sqrt(std::max(squared, 1e-30f));
    }
  }
}

double Mover::score(const TokenRows& candidate, const TokenRows& reference, MatrixView<const float> relations,
                    const MoverOptions& options) {
  assert(relations.rows() == candidate.rows() && relations.columns() == reference.rows());
  assert(!candidate.empty() && !reference.empty());
  const bool v1 = options.compat == MoverCompat::v1;
  const bool v2 = options.compat == MoverCompat::v2;
  const double epsilon = v1 ? kMassEpsilonV1 : v2 ? kMassEpsilonV2 : 0;
  masses(reference, epsilon, options.compat == MoverCompat::none, supply_);
  masses(candidate, epsilon, options.compat == MoverCompat::none, demand_);
  if (v2) {
    single_precision_distances(candidate, reference, relations);
  } else {
    distances_.resize(candidate.rows() * reference.rows());
    for (std::size_t row = 0; row < reference.rows(); ++row) {
      for (std::size_t column = 0; column < candidate.rows(); ++column) {
        distances_[row * candidate.rows() + column] = distance_of(relations(column, row), options.distance);
      }
    }
  }
  const MatrixView<const double> costs(distances_.data(), reference.rows(), candidate.rows());
  const geometry::TransportCost moved = solver_.solve(supply_, demand_, costs);
  if (v2) return 1 / (1 + moved.cost);
  if (!v1) return 1 - moved.cost;
  assert(options.distance == MoverDistance::squared);
  const double largest =
      std::max({candidate.spread, reference.spread, *std::ranges::max_element(distances_)});
  return 1 - (moved.cost + std::abs(moved.surplus) * largest);
}

PrecisionRecall Mover::hard(const TokenRows& candidate, const TokenRows& reference,
                            MatrixView<const float> relations, const MoverOptions& options) {
  assert(relations.rows() == candidate.rows() && relations.columns() == reference.rows());
  assert(!candidate.empty() && !reference.empty());
  candidate_matches_.assign(candidate.rows(), {});
  reference_matches_.assign(reference.rows(), {});
  for (std::size_t row = 0; row < candidate.rows(); ++row) {
    Match& best = candidate_matches_[row];
    for (std::size_t column = 0; column < reference.rows(); ++column) {
      const double similarity = 1 - double{distance_of(relations(row, column), options.distance)};
      Match& other = reference_matches_[column];
      if (column == 0 || similarity > best.similarity)
        best = {static_cast<std::uint32_t>(column), similarity};
      if (row == 0 || similarity > other.similarity) other = {static_cast<std::uint32_t>(row), similarity};
    }
  }
  PrecisionRecall result;
  result.precision = weighted_mean(candidate_matches_, candidate.weights);
  result.recall = weighted_mean(reference_matches_, reference.weights);
  // A harmonic mean needs positive numbers, and a distance may be above 1: then the worse of the two counts.
  const double worse = std::min(result.precision, result.recall);
  result.f1 = worse > 0 ? harmonic_mean(result.precision, result.recall) : worse;
  return result;
}

}  // namespace markeval::metric
