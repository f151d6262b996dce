#include "lexical/ngram_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/random.hpp"

namespace markeval::lexical {
namespace {

/// Shared n-grams straight from their definition: by order, each as often as the reference that has it most.
std::vector<std::uint32_t> plain_matches(const std::vector<std::vector<std::uint32_t>>& references,
                                         const std::vector<std::uint32_t>& text, std::size_t max_order) {
  std::vector<std::uint32_t> matches;
  for (std::size_t order = 1; order <= max_order; ++order) {
    using Counts = std::map<std::vector<std::uint32_t>, std::uint32_t>;
    const auto counts_of = [&](const std::vector<std::uint32_t>& symbols) {
      Counts counts;
      for (std::size_t i = 0; i < ngram_total(symbols.size(), order); ++i) {
        const auto start = symbols.begin() + static_cast<std::ptrdiff_t>(i);
        ++counts[{start, start + static_cast<std::ptrdiff_t>(order)}];
      }
      return counts;
    };
    Counts most;
    for (const auto& reference : references) {
      for (const auto& [ngram, count] : counts_of(reference)) most[ngram] = std::max(most[ngram], count);
    }
    std::uint32_t sum = 0;
    for (const auto& [ngram, count] : counts_of(text)) sum += std::min(count, most[ngram]);
    matches.push_back(sum);
  }
  return matches;
}

TEST(NgramTable, CountsAsADictionaryForOneOrMoreReferencesOfAnyLength) {
  RandomStream random(12, 0);
  NgramTable table;
  for (int round = 0; round < 1500; ++round) {
    const std::size_t most = round % 20 == 0 ? 700 : round % 3 == 0 ? 200 : 70, kinds = 1 + random.below(9);
    const auto symbols_of = [&](bool unknown) {
      std::vector<std::uint32_t> symbols(random.below(most));
      for (auto& symbol : symbols) {
        symbol = static_cast<std::uint32_t>(random.below(kinds));
        if (unknown && random.below(12) == 0) symbol = NgramTable::kUnknown;
      }
      return symbols;
    };
    std::vector<std::vector<std::uint32_t>> references(1 + random.below(4) / 2);
    std::size_t symbols = 0;
    for (auto& reference : references) {
      if (references.size() == 1 || random.below(3) > 0) reference = symbols_of(false);
      symbols += reference.size();
    }
    const std::size_t max_order = random.below(8);
    table.clear(symbols, max_order);
    for (const auto& reference : references) table.add_reference(reference);
    for (int text = 0; text < 2; ++text) {
      const auto other = symbols_of(true);
      std::vector<std::uint32_t> matches(max_order, 0);
      table.count_matches(other, matches);
      ASSERT_EQ(matches, plain_matches(references, other, max_order)) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace markeval::lexical
