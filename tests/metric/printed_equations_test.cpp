// compat=paper against numbers that NumPy and SciPy made from the printed equations (make_golden.py): one
// layer, five layers, static vectors; words, pairs of words, sentences.
#include <gtest/gtest.h>

#include <map>

#include "golden_rows.hpp"
#include "letter_source.hpp"

namespace markeval::metric {
namespace {

/// The vectors of golden/vectors.tsv.
LetterSource golden_source(bool layers) {
  LetterSource::Vectors vectors;
  for (const auto& row : golden_rows("vectors.tsv"))
    vectors[{static_cast<std::size_t>(std::stoul(row[0])), row[1][0] - 'a'}] = {
        std::stof(row[2]), std::stof(row[3]), std::stof(row[4])};
  return {std::move(vectors), layers ? 5u : 0u};
}

/// The pairs of the file, which all requests have in common: idf is that of all references.
struct GoldenPairs {
  text::Corpus references, texts;
  GoldenPairs() {
    const auto rows = golden_rows("mover.tsv");
    for (const auto& row : rows) {
      if (row[0] != rows.front()[0] || row[1] != rows.front()[1]) break;
      references.add(row[2]);
      texts.add(row[3]);
    }
  }
};

Result printed_score(const std::string& metric, bool layers) {
  const GoldenPairs pairs;
  return letter_score(metric, golden_source(layers), pairs.references, pairs.texts);
}

TEST(PrintedEquations, GiveTheSameNumbersAsNumPy) {
  std::map<std::string, std::size_t> seen;
  for (const auto& row : golden_rows("mover.tsv")) {
    const std::size_t segment = seen[row[0] + row[1]]++;
    const Result found = printed_score(row[1], row[0] == "layers");
    for (std::size_t result = 0; result + 4 < row.size(); ++result)
      EXPECT_NEAR(found.segments[result].second[segment], std::stod(row[4 + result]), 2e-6)
          << row[0] << " " << row[1] << ": " << row[2] << " | " << row[3] << ", "
          << found.segments[result].first;
  }
  EXPECT_EQ(seen.size(), 36u);
}

TEST(PrintedEquations, OneLayerNeedsNoAggregation) {
  const Result last = printed_score("moverscore:compat=paper,layers=3,aggregate=last", true);
  for (const char* other : {"pmeans", "mean", "routing"}) {
    const Result found =
        printed_score(std::string("moverscore:compat=paper,layers=3,aggregate=") + other, true);
    EXPECT_EQ(found.segments[0].second, last.segments[0].second) << other;
    EXPECT_EQ(found.signature(), last.signature()) << "what gives the same scores has the same signature";
  }
  EXPECT_EQ(printed_score("moverscore:compat=paper,exponents=2", false).segments[0].second,
            printed_score("moverscore:compat=paper", false).segments[0].second)
      << "static vectors have one layer";
}

TEST(PrintedEquations, TheHardFormCountsTheWorseSideWhereOneIsNotPositive) {
  const Result found = printed_score("hmd:compat=paper,n=1,idf=no,layers=3", true);
  const double precision = found.segments[0].second[2], recall = found.segments[1].second[2];
  ASSERT_GT(precision, 0);
  ASSERT_LT(recall, 0);
  EXPECT_EQ(found.segments[2].second[2], recall);
}

}  // namespace
}  // namespace markeval::metric
