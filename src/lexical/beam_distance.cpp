#include "lexical/beam_distance.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "lexical/word_table.hpp"

namespace markeval::lexical {
namespace {

constexpr std::size_t kBeamWidth = 25;
constexpr int kInfinity = 1'000'000'000;

}  // namespace

void BeamDistance::set_reference(std::span<const std::uint32_t> reference) {
  reference_.assign(reference.begin(), reference.end());
  positions_.clear();
  if (reference_.empty() || reference_.size() > 64) return;
  positions_.assign(*std::max_element(reference_.begin(), reference_.end()) + 1u, 0u);
  for (std::size_t j = 0; j < reference_.size(); ++j) positions_[reference_[j]] |= std::uint64_t{1} << j;
}

BeamDistance::Beam BeamDistance::beam(std::size_t row) const {
  if (row == 0) return {0, reference_.size() + 1};
  const auto diagonal = static_cast<std::size_t>(std::floor(static_cast<double>(row) * ratio_));
  const std::size_t first = diagonal > width_ ? diagonal - width_ : 0;
  const std::size_t last =
      row == hypothesis_.size() ? reference_.size() + 1 : std::min(reference_.size() + 1, diagonal + width_);
  return {first, last};
}

/// One row of the matrix from the one above; cells outside the beam cost infinitely much. Equal costs: keep
/// or substitute before erase before insert.
void BeamDistance::fill_row(std::size_t row, std::uint32_t word, const int* previous, Beam above, int* out,
                            Operation* operations) const {
  const Beam here = beams_[row];
  int left = kInfinity;
  for (std::size_t j = here.first; j < here.last; ++j) {
    const int up = j >= above.first && j < above.last ? previous[j - above.first] : kInfinity;
    int best = kInfinity;
    Operation operation = Operation::keep;
    if (j > 0) {
      const int diagonal =
          j - 1 >= above.first && j - 1 < above.last ? previous[j - 1 - above.first] : kInfinity;
      const bool same = word == reference_[j - 1];
      best = diagonal + (same ? 0 : 1);
      operation = same ? Operation::keep : Operation::substitute;
    }
    if (up + 1 < best) {
      best = up + 1;
      operation = Operation::erase;
    }
    if (left + 1 < best) {
      best = left + 1;
      operation = Operation::insert;
    }
    best = std::min(best, kInfinity);
    out[j - here.first] = best;
    if (operations != nullptr) operations[j - here.first] = operation;
    left = best;
  }
}

int BeamDistance::set_hypothesis(std::span<const std::uint32_t> hypothesis) {
  assert(!hypothesis.empty());
  hypothesis_.assign(hypothesis.begin(), hypothesis.end());
  const std::size_t rows = hypothesis_.size();
  ratio_ = static_cast<double>(reference_.size()) / static_cast<double>(rows);
  width_ = kBeamWidth;
  if (static_cast<double>(kBeamWidth) < ratio_ / 2) {
    width_ = static_cast<std::size_t>(std::ceil(ratio_ / 2 + static_cast<double>(kBeamWidth)));
  }
  beams_.resize(rows + 1);
  offsets_.resize(rows + 2);
  offsets_[0] = 0;
  for (std::size_t row = 0; row <= rows; ++row) {
    beams_[row] = beam(row);
    offsets_[row + 1] = offsets_[row] + (beams_[row].last - beams_[row].first);
  }
  costs_.resize(offsets_.back());
  operations_.resize(offsets_.back());
  for (std::size_t j = 0; j <= reference_.size(); ++j) {
    costs_[j] = static_cast<int>(j);
    operations_[j] = Operation::insert;
  }
  for (std::size_t row = 1; row <= rows; ++row) {
    fill_row(row, hypothesis_[row - 1], costs_.data() + offsets_[row - 1], beams_[row - 1],
             costs_.data() + offsets_[row], operations_.data() + offsets_[row]);
  }
  distance_ = costs_.back();
  if (!positions_.empty()) prepare_bits();
  return distance_;
}

void BeamDistance::trace(std::vector<Operation>& operations) const {
  operations.clear();
  std::size_t i = hypothesis_.size(), j = reference_.size();
  while (i > 0 || j > 0) {
    const Operation operation = operations_[offsets_[i] + (j - beams_[i].first)];
    operations.push_back(operation);
    if (operation != Operation::insert) --i;
    if (operation != Operation::erase) --j;
  }
  std::reverse(operations.begin(), operations.end());
}

namespace {

/// One more hypothesis word: the column of the matrix as differences between neighbours, one bit each.
inline void step(std::uint64_t match, std::uint64_t last_bit, std::uint64_t& plus, std::uint64_t& minus,
                 int& score) {
  const std::uint64_t x = match | minus;
  const std::uint64_t diagonal_zero = (((match & plus) + plus) ^ plus) | x;
  std::uint64_t horizontal_plus = minus | ~(diagonal_zero | plus);
  std::uint64_t horizontal_minus = plus & diagonal_zero;
  if (horizontal_plus & last_bit) ++score;
  if (horizontal_minus & last_bit) --score;
  horizontal_plus = (horizontal_plus << 1) | 1;
  horizontal_minus <<= 1;
  plus = horizontal_minus | ~(diagonal_zero | horizontal_plus);
  minus = horizontal_plus & diagonal_zero;
}

}  // namespace

void BeamDistance::prepare_bits() {
  bits_.resize(hypothesis_.size() + 1);
  const std::uint64_t last_bit = std::uint64_t{1} << (reference_.size() - 1);
  Bits now{~std::uint64_t{0}, 0, static_cast<int>(reference_.size())};
  bits_[0] = now;
  for (std::size_t i = 0; i < hypothesis_.size(); ++i) {
    const std::uint64_t match = hypothesis_[i] == WordTable::kUnknown ? 0 : positions_[hypothesis_[i]];
    step(match, last_bit, now.plus, now.minus, now.score);
    bits_[i + 1] = now;
  }
}

int BeamDistance::variant_by_bits(std::span<const std::uint32_t> hypothesis, std::size_t first) {
  const std::uint64_t last_bit = std::uint64_t{1} << (reference_.size() - 1);
  Bits now = bits_[first];
  for (std::size_t i = first; i < hypothesis.size(); ++i) {
    const std::uint64_t match = hypothesis[i] == WordTable::kUnknown ? 0 : positions_[hypothesis[i]];
    step(match, last_bit, now.plus, now.minus, now.score);
  }
  return now.score;
}

/// Rows from the first changed word on. Below the last changed word the same words follow, so once a row is
/// the current hypothesis' row plus a constant, so is the distance.
int BeamDistance::variant_by_beam(std::span<const std::uint32_t> hypothesis, std::size_t first,
                                  std::size_t last) {
  const int* previous = costs_.data() + offsets_[first];
  for (std::size_t row = first + 1; row <= hypothesis.size(); ++row) {
    auto& out = scratch_[row % 2];
    out.resize(beams_[row].last - beams_[row].first);
    fill_row(row, hypothesis[row - 1], previous, beams_[row - 1], out.data(), nullptr);
    previous = out.data();
    if (row >= last) {
      const int* current = costs_.data() + offsets_[row];
      const int difference = out[0] - current[0];
      std::size_t j = 1;
      while (j < out.size() && out[j] - current[j] == difference) ++j;
      if (j == out.size()) return distance_ + difference;
    }
  }
  return previous[beams_.back().last - beams_.back().first - 1];
}

int BeamDistance::variant(std::span<const std::uint32_t> hypothesis, std::size_t first, std::size_t last) {
  if (!positions_.empty()) {
    // A way that leaves the beam at column j of row i costs at least |j - i| + |(n - j) - (m - i)|, which is
    // at least 48 less the difference of lengths. A shorter distance is therefore reached inside the beam,
    // and the beam changes nothing.
    const auto n = static_cast<int>(reference_.size()), m = static_cast<int>(hypothesis.size());
    const int distance = variant_by_bits(hypothesis, first);
    if (distance < 48 - std::abs(n - m)) return distance;
  }
  return variant_by_beam(hypothesis, first, last);
}

}  // namespace markeval::lexical
