#include "lexical/beam_distance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "lexical/word_table.hpp"

namespace markeval::lexical {
namespace {

/// The beam distance straight from its definition in sacrebleu, and its operations.
std::pair<int, std::vector<BeamDistance::Operation>> plain_distance(
    const std::vector<std::uint32_t>& words, const std::vector<std::uint32_t>& reference) {
  using Operation = BeamDistance::Operation;
  constexpr int kFar = 1'000'000'000;
  const auto m = static_cast<int>(words.size()), n = static_cast<int>(reference.size());
  const double ratio = static_cast<double>(n) / m;
  const int width = ratio / 2 > 25 ? static_cast<int>(std::ceil(ratio / 2 + 25)) : 25;
  std::vector<std::vector<std::pair<int, Operation>>> cells(words.size() + 1,
                                                            {reference.size() + 1, {kFar, Operation::keep}});
  for (int j = 0; j <= n; ++j) cells[0][j] = {j, Operation::insert};
  for (int i = 1; i <= m; ++i) {
    const int diagonal = static_cast<int>(std::floor(i * ratio));
    const int last = i == m ? n + 1 : std::min(n + 1, diagonal + width);
    for (int j = std::max(0, diagonal - width); j < last; ++j) {
      auto& cell = cells[i][j];
      const auto offer = [&](int cost, Operation operation) {
        if (cost < cell.first) cell = {cost, operation};
      };
      if (j > 0 && words[i - 1] == reference[j - 1]) offer(cells[i - 1][j - 1].first, Operation::keep);
      if (j > 0) offer(cells[i - 1][j - 1].first + 1, Operation::substitute);
      offer(cells[i - 1][j].first + 1, Operation::erase);
      if (j > 0) offer(cells[i][j - 1].first + 1, Operation::insert);
    }
  }
  std::vector<Operation> way;
  for (int i = m, j = n; i > 0 || j > 0;) {
    way.push_back(cells[i][j].second);
    if (way.back() != Operation::insert) --i;
    if (way.back() != Operation::erase) --j;
  }
  return {cells[m][n].first, {way.rbegin(), way.rend()}};
}

TEST(BeamDistance, IsThatOfItsDefinitionForTextsAndTheirRotations) {
  RandomStream random(11, 0);
  BeamDistance distance;
  for (int round = 0; round < 3000; ++round) {
    const std::size_t most = round % 10 == 0 ? 140 : 66;
    std::vector<std::uint32_t> reference(1 + random.below(most)), words(1 + random.below(most));
    const std::uint64_t kinds = 1 + random.below(20), unknown = 1 + random.below(8);
    for (auto& word : reference) word = static_cast<std::uint32_t>(random.below(kinds));
    for (auto& word : words)
      word = random.below(unknown) == 0 ? WordTable::kUnknown : reference[random.below(reference.size())];
    distance.set_reference(reference);
    const auto [expected, way] = plain_distance(words, reference);
    ASSERT_EQ(distance.set_hypothesis(words), expected) << "round " << round;
    std::vector<BeamDistance::Operation> operations;
    distance.trace(operations);
    ASSERT_EQ(operations, way) << "round " << round;
    const std::size_t first = random.below(words.size()),
                      last = first + 1 + random.below(words.size() - first);
    const std::size_t middle = first + random.below(last - first);
    const int rotated = distance.rotated(first, middle, last);
    std::rotate(words.begin() + static_cast<std::ptrdiff_t>(first),
                words.begin() + static_cast<std::ptrdiff_t>(middle),
                words.begin() + static_cast<std::ptrdiff_t>(last));
    ASSERT_EQ(rotated, plain_distance(words, reference).first) << "round " << round;
  }
}

}  // namespace
}  // namespace markeval::lexical
