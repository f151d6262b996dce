// How sure is a coefficient? Percentile intervals from bootstrap resamples of the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "base/run_context.hpp"
#include "meta/score_table.hpp"

namespace markeval::meta {

/// Not of coefficients that count pairs of rows: a resample would pair a row with its own copy.
bool has_intervals(Coefficient coefficient);

/// By row of correlate() and by coefficient: 95 %, from rows drawn with replacement inside each group. Absent
/// for kendall-like and accuracy, which count pairs of rows and would pair a row with its own copy, and where
/// fewer than half of the resamples have a value. The same for any number of threads.
std::vector<std::vector<std::optional<Interval>>> coefficient_intervals(
    const ScoreTable& table, std::span<const Coefficient> coefficients, const CoefficientOptions& options,
    std::size_t resamples, std::uint64_t seed, const RunContext& context);

}  // namespace markeval::meta
