// Formulas as the papers print them, on three words whose vectors make every number easy to follow by hand:
// a = (1, 0), b = (0, 2), c = (3, 4).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "base/error.hpp"
#include "letter_source.hpp"
#include "support/temp_folder.hpp"

namespace markeval::metric {
namespace {

Result score(const std::string& metric, const std::string& reference, const std::string& line) {
  text::Corpus references, lines;
  references.add(reference);
  lines.add(line);
  return letter_score(metric, {{{{0, 0}, {1, 0}}, {{0, 1}, {0, 2}}, {{0, 2}, {3, 4}}}, 0}, references, lines);
}

double value(const Result& result, std::size_t column = 0) {
  return result.scores[column].second;
}

const std::string kPaper = "compat=paper";

TEST(MoverScoreAsPrinted, MovesWordsAtPlainDistancesOfRawVectors) {
  // Half of the mass stays at a, the other half goes from b to c: |(0, 2) - (3, 4)| = sqrt(13).
  const Result found = score("moverscore:idf=no," + kPaper, "a b", "a c");
  EXPECT_NEAR(value(found), 1 - std::sqrt(13) / 2, 1e-6);
}

TEST(MoverScoreAsPrinted, TakesTheSumOfAnNgramsWords) {
  // "a b c" has the bigrams (1, 2) and (3, 6), "b c" only (3, 6): half of the mass goes sqrt(4 + 16) far.
  const Result found = score("moverscore:n=2,idf=no," + kPaper, "a b c", "b c");
  EXPECT_NEAR(value(found), 1 - std::sqrt(20) / 2, 1e-6);
}

TEST(MoverScoreAsPrinted, OfSentencesIsTheDistanceOfTheirSums) {
  // (1, 0) + (0, 2) = (1, 2) and (1, 0) + (3, 4) = (4, 4).
  const Result found = score("moverscore:n=sentence,idf=no," + kPaper, "a b", "a c");
  EXPECT_NEAR(value(found), 1 - std::sqrt(13), 1e-6);
}

TEST(MoverScoreAsPrinted, HasItsHardAlignment) {
  // From the candidate: a to a, c to b (sqrt(13)). From the reference: a to a, b to a (sqrt(5)).
  const Result found = score("hmd:idf=no," + kPaper, "a b", "a c");
  EXPECT_NEAR(value(found, 0), 1 - std::sqrt(13) / 2, 1e-6);
  EXPECT_NEAR(value(found, 1), 1 - std::sqrt(5) / 2, 1e-6);
}

TEST(MoverScoreAsPrinted, RefusesAnotherDistance) {
  EXPECT_THROW(score("moverscore:compat=paper,distance=squared", "a", "a"), Error);
}

/// Three texts: a is in two of them, b and c in one. idf: a ln(4/3), b and c ln(4/2).
class IdfOfAFile : public ::testing::Test {
 protected:
  IdfOfAFile() { std::ofstream(path) << "a\na b\nc\n"; }
  TempFolder folder;
  std::string path = folder.file("corpus.txt");
  double a = std::log(4.0 / 3), b = std::log(2.0);
};

TEST_F(IdfOfAFile, WeighsTheTokensOfBertscore) {
  // Best cosines: a 1; b to c, and c to b, 8 / (2 x 5) = 0.8.
  const Result found = score("bertscore:idf=" + path, "a c", "a b");
  EXPECT_NEAR(value(found, 0), (a + 0.8 * b) / (a + b), 1e-6);
  EXPECT_NEAR(value(found, 1), (a + 0.8 * b) / (a + b), 1e-6);
}

TEST_F(IdfOfAFile, WeighsTheWordsOfMoverscore) {
  // Sums: a (1, 0) + b (0, 2) and a (1, 0) + b (3, 4).
  const Result sentence = score("moverscore:n=sentence,idf=" + path + "," + kPaper, "a b", "a c");
  EXPECT_NEAR(value(sentence), 1 - b * std::sqrt(13), 1e-6);
  // Unit length: b = (0, 1) moves to c = (0.6, 0.8), squared distance 0.36 + 0.04.
  const Result words = score("moverscore:aggregate=last,idf=" + path, "a b", "a c");
  EXPECT_NEAR(value(words), 1 - 0.4 * b / (a + b), 1e-6);
}

TEST_F(IdfOfAFile, IsNamedInTheSignatureByNameAndContent) {
  EXPECT_NE(score("bertscore:idf=" + path, "a", "a").signature().find("|idf:corpus.txt@"), std::string::npos);
  const std::string before = score("moverscore:idf=" + path, "a", "a").signature();
  std::ofstream(path) << "a\na b\nb\n";
  EXPECT_NE(score("moverscore:idf=" + path, "a", "a").signature(), before);
}

TEST_F(IdfOfAFile, SaysWhatItExpectsWhereThereIsNoFile) {
  try {
    score("bertscore:idf=ja", "a", "a");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "bertscore: idf=ja: no such file, expected no, yes or a file of texts");
  }
}

}  // namespace
}  // namespace markeval::metric
