// How many judgements it takes to tell metrics apart. Used by own.cpp.
#pragma once

#include <cstdint>
#include <optional>

#include "meta/score_table.hpp"
#include "report/study.hpp"

namespace markeval::study {

/// A curve over the number of judgements: for each metric half the width of the interval that holds 95 % of
/// the agreements of so many rows, drawn without replacement from each group in proportion to its size; and
/// the share of draws in which the metric that is best on all rows is best. Absent where the table is small:
/// it needs 100 rows, and of each group 5 at the smaller of two sizes, which 40 rows always have.
std::optional<report::Table> judgement_curve(const meta::ScoreTable& table, meta::Coefficient coefficient,
                                             std::uint64_t seed);

}  // namespace markeval::study
