// wer and cer against jiwer, per and cder against their definitions in Python (make_golden.py).
#include <gtest/gtest.h>

#include <map>
#include <variant>

#include "base/error.hpp"
#include "golden_rows.hpp"
#include "lexical_score.hpp"

namespace markeval::metric {
namespace {

TEST(EditRates, AreThoseOfJiwerAndOfTheirDefinitions) {
  std::size_t compared = 0;
  for (auto row : golden_rows("edit_rates.tsv")) {
    if (row[0].starts_with("corpus")) continue;
    if (const auto tab = row[1].find("\\t"); tab != std::string::npos) row[1].replace(tab, 2, "\t");
    EXPECT_NEAR(rate_of(row[0], {{row[1]}}, {row[2]}), std::stod(row[3]), 1e-11)
        << row[0] << ": " << row[1] << " | " << row[2];
    ++compared;
  }
  EXPECT_EQ(compared, 36u);
}

TEST(EditRates, OfACorpusAreSumsOfEditsByReferenceWords) {
  std::map<std::string, double> expected;
  std::vector<std::vector<std::string>> texts;
  for (auto row : golden_rows("edit_rates.tsv")) {
    if (row[0].starts_with("corpus")) expected[row[0].substr(7)] = std::stod(row[3]);
    if (row[0] != "wer") continue;
    if (const auto tab = row[1].find("\\t"); tab != std::string::npos) row[1].replace(tab, 2, "\t");
    texts.push_back(row);
  }
  Segments references;
  std::vector<std::string_view> lines;
  for (const auto& row : texts) {
    references.push_back({row[1]});
    lines.push_back(row[2]);
  }
  ASSERT_EQ(expected.size(), 2u);
  for (const auto& [metric, score] : expected) EXPECT_NEAR(rate_of(metric, references, lines), score, 1e-11);
}

TEST(EditRates, TakeTheReferenceWithTheFewestEditsAndTheMeanLength) {
  EXPECT_DOUBLE_EQ(rate_of("wer", {{"a b c d", "a x"}}, {"a b c"}), 1.0 / 3);
  EXPECT_DOUBLE_EQ(rate_of("per", {{"c b a d", "a x"}}, {"a b c"}), 1.0 / 3);
}

TEST(EditRates, IgnoreCaseOnRequest) {
  EXPECT_EQ(rate_of("wer", {{"A B"}}, {"a b"}), 1);
  for (const char* metric : {"wer", "cer", "per", "cder"})
    EXPECT_EQ(rate_of(std::string(metric) + ":lowercase=yes", {{"A B"}}, {"a b"}), 0) << metric;
}

TEST(EditRates, TellTheKindsOfEdits) {
  const Result found = rated("wer", {{"a b c d"}}, {"x b d e f"});
  std::map<std::string, std::uint64_t> counts;
  for (const auto& [name, detail] : found.details) {
    if (const auto* count = std::get_if<std::uint64_t>(&detail)) counts[name] = *count;
  }
  EXPECT_EQ(counts["edits"], 4u);
  EXPECT_EQ(counts["substitutions"], 1u) << "a becomes x";
  EXPECT_EQ(counts["deletions"], 1u) << "c";
  EXPECT_EQ(counts["insertions"], 2u) << "e f";
}

TEST(EditRates, RefuseTextsTheyCannotCompareInTime) {
  const std::string longer(100'000, 'x');
  EXPECT_THROW(rate_of("cer", {{longer}}, {longer}), Error);
}

}  // namespace
}  // namespace markeval::metric
