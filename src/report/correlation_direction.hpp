// Which way round a metric orders the texts: as people do, not visibly, or against them, as a score does that
// is better low.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/correlations.hpp"

namespace markeval::report {

/// How a metric's first coefficient stands to 0, read in the direction that is taken to be better.
enum class Direction {
  agrees,    ///< above 0, its interval too
  unclear,   ///< the interval holds 0
  reversed,  ///< below 0, its interval too
  unknown,   ///< no value, or not above 0 and without an interval
};

/// Whether lower scores of the column `predicted` (a place in CorrelationRun::predicted) are taken to be
/// better.
bool is_turned(const CorrelationRun& run, std::size_t predicted);

/// The first coefficient, its sign turned where lower scores are better.
std::optional<double> turned_value(const CorrelationRun& run, std::size_t predicted);

/// Accuracies are shares of pairs: they always agree. Without intervals a column is reversed where its
/// agreement would be the highest if it were turned round.
Direction direction_of(const CorrelationRun& run, std::size_t predicted);

/// The reversed column that would agree best of all, were it turned round; none where no one would.
std::optional<std::size_t> best_if_turned(const CorrelationRun& run);

/// "pearson -0.88", of several "pearson -0.88 to -0.30".
std::string numbers_of(const CorrelationRun& run, std::span<const std::size_t> columns);

/// "perplexity orders the texts the other way round"
std::string reversed_title(const CorrelationRun& run, std::span<const std::size_t> columns);

/// "If lower is better there, add --lower-is-better perplexity; its agreement would then be the highest."
/// Empty for metrics whose direction the program knows.
std::string reversed_hint(const CorrelationRun& run, std::span<const std::size_t> columns);

}  // namespace markeval::report
