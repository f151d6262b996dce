// Uncertainty of set metrics. The bootstrap is wrong for them: a row drawn twice is its own nearest neighbour
// at distance 0. So the rows are split into two halves at random, again and again, and both are scored.
//
// With n rows, b = n / 2 in a half, theta_n the score of all rows and theta_A, theta_B those of the halves:
// no row is in both, so theta_A and theta_B are independent, and half of the mean of (theta_A - theta_B)^2
// has the expectation Var(theta_b), whatever the score is. Where the standard error falls as 1/sqrt(rows),
//   theta_n - theta  is distributed like  sqrt(b / n) (theta_A - theta_B) / sqrt(2).
// Why not the spread of the halves around their mean, which is what subsampling (Politis and Romano 1994,
// Annals of Statistics 22) and the delete-d jackknife (Shao and Wu 1989, Annals of Statistics 17) look at: it
// is right only for scores that are nearly means. See docs/background/decisions/009-intervals-of-sets.md.
// What the difference does not tell: the bias of theta_n, and its skewness (the interval is symmetric on its
// scale).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "meta/system_significance.hpp"

namespace markeval::meta {

/// Two halves of some rows, rising (scores that depend on the order keep the file's). No row is in both; of
/// an odd number of rows one is in neither.
struct Halves {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> second;
};

/// From RandomStream(seed, index). Throws Error(invalid_input) for fewer than 2 rows.
Halves split_in_halves(std::size_t rows, std::uint64_t seed, std::uint64_t index);

/// sqrt(b / n) / sqrt(2), which is 1/2 where nothing is left over. Throws Error(invalid_input) unless 0 <
/// half_rows <= rows / 2.
double split_scale(std::size_t rows, std::size_t half_rows);

/// The scale on which an interval is symmetric. Near a limit scores spread less, and an interval on the scale
/// of the score would leave its range. share, 0 to 1: sqrt(x) - sqrt(1 - x), which is close to the arcsine of
/// the root and has an exact inverse. amount, 0 or more: sqrt(x).
enum class Scale { plain, share, amount };
double on_scale(double score, Scale scale);
double from_scale(double value, Scale scale);  ///< a value beyond the limits gives the limit

/// The interval of the score: `score` of all rows, `differences` between the scores of the two halves on the
/// scale, one per split. Throws Error(invalid_input) for no splits and for values that are not finite.
Interval split_interval(double score, std::span<const double> differences, std::size_t rows,
                        std::size_t half_rows, Scale scale = Scale::plain, double level = 0.95);

/// Two-sided p-value for "the two systems' scores are equal": `difference` of the scores over all rows,
/// `differences` of that difference between the two halves, with the same rows in them for both systems.
/// (1 + how often scale * |d_A - d_B| >= |difference|) / (splits + 1); 1 where no two halves differ.
double split_p_value(double difference, std::span<const double> differences, std::size_t rows,
                     std::size_t half_rows);

}  // namespace markeval::meta
