// What every function of this folder asks of its numbers, in one place: equal lengths, finite values, and
// missing ones left out pair by pair and counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace markeval::meta {

/// Throws Error(invalid_input) "gold: value 17 is not a number" for NaN, "... is infinite" for infinities;
/// values count from 1.
void require_finite(std::span<const double> values, std::string_view name);

/// The same of both, and "560 gold values but 559 predicted values": for the pair every coefficient takes.
void require_pairs(std::span<const double> gold, std::span<const double> predicted);

/// Gold and predicted values of the same rows.
struct Pairs {
  std::vector<double> gold;
  std::vector<double> predicted;
  std::size_t missing = 0;  ///< rows left out because one of the two is absent

  std::size_t size() const { return gold.size(); }
};

/// Values as positions among the distinct values: order and ties are kept, distances are not.
///   {0.5, 0.1, 0.5} -> {1, 0, 1}, 2 classes
struct DenseRanks {
  std::vector<std::uint32_t> rank;
  std::uint32_t classes = 0;
};
DenseRanks dense_ranks(std::span<const double> values);

/// (x - mean) / standard deviation (divided by n); all zero where the values are constant.
std::vector<double> z_scores(std::span<const double> values);

/// The mean of at least two values, and their standard deviation (divided by n - 1).
struct MeanAndSpread {
  double mean = 0, spread = 0;
};
MeanAndSpread mean_and_spread(std::span<const double> values);

bool is_constant(std::span<const double> values);

/// The mean of the values that are there; absent where none is.
class MeanOfPresent {
 public:
  void add(const std::optional<double>& value) {
    if (!value) return;
    sum_ += *value;
    ++count_;
  }
  std::size_t count() const { return count_; }
  std::optional<double> value() const {
    return count_ > 0 ? std::optional(sum_ / static_cast<double>(count_)) : std::nullopt;
  }

 private:
  double sum_ = 0;
  std::size_t count_ = 0;
};

}  // namespace markeval::meta
