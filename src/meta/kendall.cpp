// Rows are sorted by predicted value; the inversions of the gold values, counted by merge sort, are the
// discordant pairs.
#include "meta/kendall.hpp"

#include <algorithm>
#include <cmath>

#include "meta/values.hpp"

namespace markeval::meta {
namespace {

std::uint64_t pairs_of(std::uint64_t rows) {
  return rows < 2 ? 0 : rows * (rows - 1) / 2;
}

/// A stable counting sort: `order` lists the rows by rising class.
template <typename RowAt>
void sort_by_class(std::span<const std::uint32_t> values, std::uint32_t classes,
                   std::vector<std::uint32_t>& starts, std::vector<std::uint32_t>& order, RowAt row_at) {
  starts.assign(std::size_t{classes} + 1, 0);
  for (const std::uint32_t value : values) ++starts[std::size_t{value} + 1];
  for (std::size_t c = 0; c < classes; ++c) starts[c + 1] += starts[c];
  order.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint32_t row = row_at(i);
    order[starts[values[row]]++] = row;
  }
}

constexpr std::size_t kInsertionRun = 16;

/// Sorts a short run by insertion; returns how many neighbours were exchanged.
std::uint64_t insertion_sort(std::span<std::uint32_t> run) {
  std::uint64_t exchanges = 0;
  for (std::size_t i = 1; i < run.size(); ++i) {
    const std::uint32_t value = run[i];
    std::size_t at = i;
    for (; at > 0 && run[at - 1] > value; --at) run[at] = run[at - 1];
    run[at] = value;
    exchanges += i - at;
  }
  return exchanges;
}

}  // namespace

std::uint64_t PairCounter::sort_counting_inversions() {
  const std::size_t rows = sequence_.size();
  std::uint64_t inversions = 0;
  for (std::size_t first = 0; first < rows; first += kInsertionRun) {
    inversions += insertion_sort(std::span(sequence_).subspan(first, std::min(kInsertionRun, rows - first)));
  }
  merged_.resize(rows);
  for (std::size_t width = kInsertionRun; width < rows; width *= 2) {
    for (std::size_t first = 0; first < rows; first += 2 * width) {
      const std::size_t middle = std::min(first + width, rows), last = std::min(first + 2 * width, rows);
      std::size_t left = first, right = middle, out = first;
      while (left < middle && right < last) {
        const bool take_right = sequence_[right] < sequence_[left];
        merged_[out++] = take_right ? sequence_[right] : sequence_[left];
        inversions += take_right ? middle - left : 0;
        right += take_right ? 1u : 0u;
        left += take_right ? 0u : 1u;
      }
      std::copy(sequence_.begin() + static_cast<std::ptrdiff_t>(left),
                sequence_.begin() + static_cast<std::ptrdiff_t>(middle),
                merged_.begin() + static_cast<std::ptrdiff_t>(out));
      std::copy(sequence_.begin() + static_cast<std::ptrdiff_t>(right),
                sequence_.begin() + static_cast<std::ptrdiff_t>(last),
                merged_.begin() + static_cast<std::ptrdiff_t>(out + middle - left));
    }
    sequence_.swap(merged_);
  }
  return inversions;
}

PairCounts PairCounter::operator()(std::span<const std::uint32_t> gold, std::uint32_t gold_classes,
                                   std::span<const std::uint32_t> predicted,
                                   std::uint32_t predicted_classes) {
  const std::size_t rows = gold.size();
  // Rows by rising predicted value, equal ones by rising gold value: two stable sorts.
  sort_by_class(gold, gold_classes, starts_, order_,
                [](std::size_t i) { return static_cast<std::uint32_t>(i); });
  merged_.swap(order_);
  sort_by_class(predicted, predicted_classes, starts_, order_, [this](std::size_t i) { return merged_[i]; });

  std::uint64_t predicted_ties = 0, both = 0, gold_ties = 0;
  std::uint64_t predicted_run = 0, both_run = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const bool same_predicted = i > 0 && predicted[order_[i]] == predicted[order_[i - 1]];
    const bool same_both = same_predicted && gold[order_[i]] == gold[order_[i - 1]];
    predicted_run = same_predicted ? predicted_run + 1 : 0;
    both_run = same_both ? both_run + 1 : 0;
    predicted_ties += predicted_run;
    both += both_run;
  }
  sequence_.resize(rows);
  for (std::size_t i = 0; i < rows; ++i) sequence_[i] = gold[order_[i]];
  PairCounts counts;
  counts.discordant = sort_counting_inversions();
  std::uint64_t gold_run = 0;
  for (std::size_t i = 1; i < rows; ++i) {
    gold_run = sequence_[i] == sequence_[i - 1] ? gold_run + 1 : 0;
    gold_ties += gold_run;
  }
  counts.tied_both = both;
  counts.tied_gold = gold_ties - both;
  counts.tied_predicted = predicted_ties - both;
  counts.concordant = pairs_of(rows) - counts.discordant - gold_ties - predicted_ties + both;
  return counts;
}

PairCounts count_pairs(std::span<const double> gold, std::span<const double> predicted) {
  require_pairs(gold, predicted);
  const DenseRanks x = dense_ranks(gold), y = dense_ranks(predicted);
  return PairCounter()(x.rank, x.classes, y.rank, y.classes);
}

std::optional<double> kendall_tau_b(const PairCounts& counts) {
  const std::uint64_t strict = counts.concordant + counts.discordant;
  const std::uint64_t untied_gold = strict + counts.tied_predicted,
                      untied_predicted = strict + counts.tied_gold;
  if (untied_gold == 0 || untied_predicted == 0) return std::nullopt;
  const double difference = static_cast<double>(counts.concordant) - static_cast<double>(counts.discordant);
  const double tau = difference / std::sqrt(static_cast<double>(untied_gold)) /
                     std::sqrt(static_cast<double>(untied_predicted));
  return std::clamp(tau, -1.0, 1.0);
}

std::optional<double> kendall_tau_b(std::span<const double> gold, std::span<const double> predicted) {
  return kendall_tau_b(count_pairs(gold, predicted));
}

std::optional<double> kendall_tau_c(const PairCounts& counts, std::uint64_t rows,
                                    std::uint64_t smaller_classes) {
  if (rows < 2 || smaller_classes < 2) return std::nullopt;
  const double difference = static_cast<double>(counts.concordant) - static_cast<double>(counts.discordant);
  const double n = static_cast<double>(rows), m = static_cast<double>(smaller_classes);
  return std::clamp(2 * difference / (n * n * (m - 1) / m), -1.0, 1.0);
}

std::optional<double> kendall_tau_c(std::span<const double> gold, std::span<const double> predicted) {
  require_pairs(gold, predicted);
  const DenseRanks x = dense_ranks(gold), y = dense_ranks(predicted);
  return kendall_tau_c(PairCounter()(x.rank, x.classes, y.rank, y.classes), gold.size(),
                       std::min(x.classes, y.classes));
}

}  // namespace markeval::meta
