// The table inside the beam, row by row, and a version with 64 cells per word for distances that the beam
// cannot change.
#include "lexical/beam_distance.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/cancellation.hpp"
#include "lexical/word_table.hpp"

namespace markeval::lexical {
namespace {

constexpr std::size_t kBeamWidth = 25;
constexpr int kInfinity = 1'000'000'000;

}  // namespace

void BeamDistance::set_reference(std::span<const std::uint32_t> reference) {
  reference_.assign(reference.begin(), reference.end());
  hypothesis_.clear();
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
  const auto known = static_cast<std::size_t>(std::distance(
      hypothesis.begin(),
      std::mismatch(hypothesis.begin(), hypothesis.end(), hypothesis_.begin(), hypothesis_.end()).first));
  hypothesis_.assign(hypothesis.begin(), hypothesis.end());
  has_matrix_ = false;
  if (!positions_.empty()) {
    fill_bits(known);
    if (!beam_matters(bits_.back().score)) return bits_.back().score;
  }
  fill_matrix();
  return costs_.back();
}

void BeamDistance::fill_matrix() {
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
    check_cancelled();
    fill_row(row, hypothesis_[row - 1], costs_.data() + offsets_[row - 1], beams_[row - 1],
             costs_.data() + offsets_[row], operations_.data() + offsets_[row]);
  }
  has_matrix_ = true;
}

void BeamDistance::trace(std::vector<Operation>& operations) const {
  operations.clear();
  std::size_t i = hypothesis_.size(), j = reference_.size();
  while (i > 0 || j > 0) {
    const Operation operation =
        has_matrix_ ? operations_[offsets_[i] + (j - beams_[i].first)] : operation_by_bits(i, j);
    operations.push_back(operation);
    if (operation != Operation::insert) --i;
    if (operation != Operation::erase) --j;
  }
  std::reverse(operations.begin(), operations.end());
}

/// A way that leaves the beam at column j of row i costs at least |j - i| + |(n - j) - (m - i)|, which is at
/// least 48 less the difference of lengths. So no way of a shorter distance leaves the beam, and neither that
/// distance nor the choice between the ways that have it depends on the beam.
bool BeamDistance::beam_matters(int distance) const {
  const auto n = static_cast<int>(reference_.size()), m = static_cast<int>(hypothesis_.size());
  return distance >= 48 - std::abs(n - m);
}

namespace {

/// One more hypothesis word: a row of the matrix as differences between neighbours, one bit each.
template <typename Bits>
void step(std::uint64_t match, std::uint64_t last_bit, Bits& bits) {
  bits.same = (((match & bits.plus) + bits.plus) ^ bits.plus) | match | bits.minus;
  bits.above_less = bits.minus | ~(bits.same | bits.plus);
  const std::uint64_t above_more = bits.plus & bits.same;
  if (bits.above_less & last_bit) ++bits.score;
  if (above_more & last_bit) --bits.score;
  const std::uint64_t left = (bits.above_less << 1) | 1;
  bits.plus = (above_more << 1) | ~(bits.same | left);
  bits.minus = left & bits.same;
}

}  // namespace

std::uint64_t BeamDistance::positions_of(std::uint32_t word) const {
  return word == WordTable::kUnknown ? 0 : positions_[word];
}

/// The first `known` words are those of the hypothesis before.
void BeamDistance::fill_bits(std::size_t known) {
  bits_.resize(hypothesis_.size() + 1);
  const std::uint64_t last_bit = std::uint64_t{1} << (reference_.size() - 1);
  if (known == 0) bits_[0] = {~std::uint64_t{0}, 0, 0, 0, static_cast<int>(reference_.size())};
  Bits now = bits_[known];
  for (std::size_t i = known; i < hypothesis_.size(); ++i) {
    step(positions_of(hypothesis_[i]), last_bit, now);
    bits_[i + 1] = now;
  }
}

/// As fill_row() chooses. Words that are the same cost what the cell above and to the left costs.
BeamDistance::Operation BeamDistance::operation_by_bits(std::size_t row, std::size_t column) const {
  if (row == 0) return Operation::insert;
  if (column == 0) return Operation::erase;
  if (hypothesis_[row - 1] == reference_[column - 1]) return Operation::keep;
  const std::uint64_t bit = std::uint64_t{1} << (column - 1);
  if ((bits_[row].same & bit) == 0) return Operation::substitute;
  return (bits_[row].above_less & bit) != 0 ? Operation::erase : Operation::insert;
}

/// Below the last changed word the same words follow, so once a row has the differences of the current
/// hypothesis, so have the rows below.
int BeamDistance::rotated_by_bits(std::size_t first, std::size_t middle, std::size_t last) const {
  const std::uint64_t last_bit = std::uint64_t{1} << (reference_.size() - 1),
                      used = last_bit | (last_bit - 1);
  Bits now = bits_[first];
  for (std::size_t i = middle; i < last; ++i) step(positions_of(hypothesis_[i]), last_bit, now);
  for (std::size_t i = first; i < middle; ++i) step(positions_of(hypothesis_[i]), last_bit, now);
  for (std::size_t i = last; i < hypothesis_.size(); ++i) {
    if ((((now.plus ^ bits_[i].plus) | (now.minus ^ bits_[i].minus)) & used) == 0)
      return bits_.back().score + now.score - bits_[i].score;
    step(positions_of(hypothesis_[i]), last_bit, now);
  }
  return now.score;
}

/// Rows from the first changed word on. Below the last changed word the same words follow, so once a row is
/// the current hypothesis' row plus a constant, so is the distance.
int BeamDistance::rotated_by_beam(std::size_t first, std::size_t middle, std::size_t last) {
  if (!has_matrix_) fill_matrix();
  variant_ = hypothesis_;
  const auto at = [&](std::size_t i) { return variant_.begin() + static_cast<std::ptrdiff_t>(i); };
  std::rotate(at(first), at(middle), at(last));
  const int* previous = costs_.data() + offsets_[first];
  for (std::size_t row = first + 1; row <= variant_.size(); ++row) {
    auto& out = scratch_[row % 2];
    out.resize(beams_[row].last - beams_[row].first);
    fill_row(row, variant_[row - 1], previous, beams_[row - 1], out.data(), nullptr);
    previous = out.data();
    if (row >= last) {
      const int* current = costs_.data() + offsets_[row];
      const int difference = out[0] - current[0];
      std::size_t j = 1;
      while (j < out.size() && out[j] - current[j] == difference) ++j;
      if (j == out.size()) return costs_.back() + difference;
    }
  }
  return previous[beams_.back().last - beams_.back().first - 1];
}

int BeamDistance::rotated(std::size_t first, std::size_t middle, std::size_t last) {
  check_cancelled();
  if (!positions_.empty()) {
    const int distance = rotated_by_bits(first, middle, last);
    if (!beam_matters(distance)) return distance;
  }
  return rotated_by_beam(first, middle, last);
}

}  // namespace markeval::lexical
