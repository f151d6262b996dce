#include "lexical/ngram_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "support/environment.hpp"
#include "support/stopped.hpp"
#include "support/temp_folder.hpp"

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

TEST(NgramTable, RefusesMoreNgramsThanItsLimit) {
  const EnvironmentVariable limit("MARKEVAL_MAX_NGRAMS", "6000");
  const std::vector<std::uint32_t> symbols(1000, 1);
  NgramTable table;
  table.clear(symbols.size(), 6);
  EXPECT_NO_THROW(table.add_reference(symbols));
  table.clear(symbols.size(), 7);
  EXPECT_ERROR(
      table.add_reference(symbols), ErrorCode::invalid_input,
      "a segment with 1000 words or characters in its references and n-grams of up to 7 of them, more "
      "than 6000 (MARKEVAL_MAX_NGRAMS sets this limit)");
}

TEST(NgramTable, AnOrderBeyondTheTextNeedsNoMoreMemory) {
  const std::vector<std::uint32_t> symbols(600, 1);
  NgramTable table;
  table.clear(symbols.size(), 1'000'000'000);
  EXPECT_NO_THROW(table.add_reference(symbols));
}

TEST(NgramTable, StopsWhenAskedTo) {
  std::vector<std::uint32_t> symbols(500'000);
  RandomStream random(5, 0);
  for (auto& symbol : symbols) symbol = static_cast<std::uint32_t>(random.below(90));
  const auto count = [&](std::size_t length) {
    const std::span<const std::uint32_t> reference = std::span(symbols).first(length);
    NgramTable table;
    for (;;) {
      std::vector<std::uint32_t> matches(8);
      table.clear(reference.size(), matches.size());
      table.add_reference(reference);
      table.count_matches(symbols, matches);
    }
  };
  for (const std::size_t length : {500, 500'000}) {  // by places, by the table
    for (const int milliseconds : {20, 300})
      EXPECT_LT(cpu_seconds_after_stop(std::chrono::milliseconds(milliseconds), [&] { count(length); }), 1.0);
  }
}

}  // namespace
}  // namespace markeval::lexical
