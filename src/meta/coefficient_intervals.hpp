// How sure is a coefficient? Percentile intervals from bootstrap resamples of the rows, or of the groups.
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

/// From so many groups on, the mean over groups has its interval from whole groups drawn with replacement: it
/// holds for other documents like these. Fewer groups are drawn too much alike (95 % intervals of 5 groups
/// hold the true mean in 86 % of all tables) and are language pairs rather than documents; there rows are
/// drawn inside each group, for these groups alone.
inline constexpr std::size_t kGroupsToDraw = 10;

/// Whether coefficient_intervals() draws whole groups for the mean over them.
bool draws_groups(const ScoreTable& table);

/// By row of correlate() and by coefficient: 95 %, of a group from its rows drawn with replacement, of the
/// mean from groups where draws_groups() is true, else from rows drawn inside each group. Absent for
/// kendall-like and accuracy, which count pairs of rows and would pair a row with its own copy, and where
/// fewer than half of the resamples have a value. The same for any number of threads.
std::vector<std::vector<std::optional<Interval>>> coefficient_intervals(
    const ScoreTable& table, std::span<const Coefficient> coefficients, const CoefficientOptions& options,
    std::size_t resamples, std::uint64_t seed, const RunContext& context);

}  // namespace markeval::meta
