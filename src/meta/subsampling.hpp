// Uncertainty of set metrics. The bootstrap is wrong for them: a row drawn twice is its own nearest neighbour
// at distance 0. Subsampling draws fewer rows, each at most once, and scales the spread to the full size.
//
// With n rows, b of them drawn, theta_n the score of all rows and theta_b that of a subsample: where the
// standard error falls as 1/sqrt(rows), drawing without replacement gives theta_b the variance s^2 (1/b -
// 1/n), and theta_n has s^2 / n, so
//   theta_n - theta  is distributed like  sqrt(b / (n - b)) (theta_b - mean of theta_b).
// Source: subsampling, Politis and Romano 1994 (Annals of Statistics 22); the factor b / (n - b), which minds
// that the subsamples are a good part of all rows, is that of the delete-d jackknife, Shao and Wu 1989
// (Annals of Statistics 17, d = n - b). The centre is the subsamples' mean, not theta_n: neighbour metrics
// depend on the number of rows, and that shift is not noise. What it does not remove: the bias of theta_n
// itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "meta/system_test.hpp"

namespace markeval::meta {

/// sqrt(b / (n - b)). Throws Error(invalid_input) unless 0 < drawn < rows.
double subsampling_scale(std::size_t rows, std::size_t drawn);

/// `drawn` different rows of `rows`, rising (scores that depend on the order keep the file's), from
/// RandomStream(seed, index).
std::vector<std::uint32_t> draw_without_replacement(std::size_t rows, std::size_t drawn, std::uint64_t seed,
                                                    std::uint64_t index);

/// The interval of the score: `score` of all rows, `subsample_scores` of the draws.
/// Throws Error(invalid_input) for no draws and for values that are not finite.
Interval subsampling_interval(double score, std::span<const double> subsample_scores, std::size_t rows,
                              std::size_t drawn, double level = 0.95);

/// Two-sided p-value for "the two systems' scores are equal": `difference` over all rows,
/// `subsample_differences` with the same rows drawn for both. (1 + how often scale * |d_b - mean| >=
/// |difference|) / (draws + 1).
double subsampling_p_value(double difference, std::span<const double> subsample_differences, std::size_t rows,
                           std::size_t drawn);

}  // namespace markeval::meta
