// How the pairs of rows are ordered by gold and by predicted values, counted in n log n (Knight 1966), and
// the coefficients that follow from the counts: Kendall's tau-b and tau-c.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace markeval::meta {

/// Every pair of rows is in exactly one of the five.
struct PairCounts {
  std::uint64_t concordant = 0;
  std::uint64_t discordant = 0;
  std::uint64_t tied_gold = 0;       ///< in gold only
  std::uint64_t tied_predicted = 0;  ///< in predicted only
  std::uint64_t tied_both = 0;

  std::uint64_t pairs() const { return concordant + discordant + tied_gold + tied_predicted + tied_both; }
  bool operator==(const PairCounts&) const = default;
};

/// Throws Error(invalid_input) for lengths that differ and for values that are not finite; so do all below.
PairCounts count_pairs(std::span<const double> gold, std::span<const double> predicted);

/// (C - D) / sqrt((C + D + ties in gold only) (C + D + ties in predicted only)) (Kendall 1945).
std::optional<double> kendall_tau_b(const PairCounts& counts);
std::optional<double> kendall_tau_b(std::span<const double> gold, std::span<const double> predicted);

/// 2 (C - D) m / (n^2 (m - 1)), m = the smaller number of distinct values (Stuart 1953).
std::optional<double> kendall_tau_c(const PairCounts& counts, std::uint64_t rows,
                                    std::uint64_t smaller_classes);
std::optional<double> kendall_tau_c(std::span<const double> gold, std::span<const double> predicted);

/// Counts pairs where only the order of the values is known (see DenseRanks); keeps its memory between calls.
class PairCounter {
 public:
  PairCounts operator()(std::span<const std::uint32_t> gold, std::uint32_t gold_classes,
                        std::span<const std::uint32_t> predicted, std::uint32_t predicted_classes);

 private:
  std::uint64_t sort_counting_inversions();
  std::vector<std::uint32_t> starts_, order_, sequence_, merged_;
};

}  // namespace markeval::meta
