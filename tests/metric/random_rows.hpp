// Rows of unit length with random weights, their cosines in double, and scores from what a device says of
// them.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "metric/mover.hpp"
#include "metric/row_relations.hpp"

namespace markeval::metric {

inline TokenRows random_rows(std::uint64_t seed, std::size_t count, std::size_t columns) {
  RandomStream random(seed, 17);
  TokenRows rows;
  rows.columns = columns;
  for (std::size_t index = 0; index < count * columns; ++index) {
    rows.values.push_back(static_cast<float>(random.normal() + 0.5));
  }
  for (std::uint32_t row = 0; row < count; ++row) {
    rows.weights.push_back(random.uniform() + 0.01);
    rows.first.push_back(row);
    rows.last.push_back(row);
  }
  normalize_rows(rows);
  return rows;
}

inline double cosine(const TokenRows& a, std::size_t i, const TokenRows& b, std::size_t j) {
  double product = 0;
  double a_squares = 0;
  double b_squares = 0;
  for (std::size_t k = 0; k < a.columns; ++k) {
    const double x = a.view()(i, k);
    const double y = b.view()(j, k);
    product += x * y;
    a_squares += x * x;
    b_squares += y * y;
  }
  return product / std::sqrt(a_squares * b_squares);
}

/// Calls `use` with the relations of the rows of two texts.
template <typename Use>
auto with_relations(compute::RowRelation relation, const TokenRows& a, const TokenRows& b, Use use) {
  ThreadPool pool(1);
  const auto device = compute::make_cpu_device(pool);
  RowRelations relations;
  relations.add(a.view(), b.view());
  relations.compute(relation, *device);
  return use(relations.of(0));
}

inline PrecisionRecall match(GreedyMatcher& matcher, const TokenRows& candidate, const TokenRows& reference,
                             NegativeMatch negative = NegativeMatch::keep) {
  return with_relations(compute::RowRelation::cosine, candidate, reference,
                        [&](auto cosines) { return matcher.match(candidate, reference, cosines, negative); });
}
inline double score(Mover& mover, TokenRows candidate, TokenRows reference, const MoverOptions& options) {
  ThreadPool pool(1);
  std::vector<TokenRows*> texts{&candidate, &reference};
  find_spreads(texts, *compute::make_cpu_device(pool));
  return with_relations(Mover::relation(options), candidate, reference, [&](auto relations) {
    return mover.score(candidate, reference, relations, options);
  });
}
inline PrecisionRecall hard(Mover& mover, const TokenRows& candidate, const TokenRows& reference,
                            const MoverOptions& options) {
  return with_relations(Mover::relation(options), candidate, reference,
                        [&](auto relations) { return mover.hard(candidate, reference, relations, options); });
}

}  // namespace markeval::metric
