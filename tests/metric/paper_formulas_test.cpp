// Formulas as the papers print them, on three words whose vectors make every number easy to follow by hand:
// a = (1, 0), b = (0, 2), c = (3, 4).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "base/error.hpp"
#include "metric/pair_run.hpp"
#include "support/temp_folder.hpp"

namespace markeval::metric {
namespace {

/// Words between blanks, one layer, no special tokens.
class ThreeWords : public embed::VectorSource {
 public:
  std::size_t last_layer() const override { return 0; }
  std::size_t width() const override { return 2; }
  std::size_t limit() override { return 64; }
  std::string model_name() const override { return "abc"; }
  std::vector<std::pair<std::string, std::string>> signature() override { return {}; }
  std::vector<embed::TokenIds> token_ids(std::span<const std::string_view> texts,
                                         const RunContext&) override {
    std::vector<embed::TokenIds> out;
    for (const std::string_view text : texts) out.emplace_back().ids = tokens(text).ids;
    return out;
  }
  embed::EncodedTexts encode(std::span<const std::string_view> texts, const embed::EncodeRequest& request,
                             const embed::TokenNeed&, const RunContext&) override {
    static constexpr float kVectors[3][2] = {{1, 0}, {0, 2}, {3, 4}};
    embed::EncodedTexts out(texts, request, 2);
    for (std::size_t place = 0; place < out.distinct(); ++place)
      out.entry(place).tokens = tokens(out.written(place));
    out.allocate();
    for (std::size_t place = 0; place < out.distinct(); ++place) {
      const std::vector<std::int32_t>& ids = out.entry(place).tokens.ids;
      for (std::size_t token = 0; token < ids.size(); ++token)
        std::copy_n(kVectors[ids[token]], 2, out.states(place, 0).row(token).data());
    }
    return out;
  }

 private:
  static embed::TextTokens tokens(std::string_view text) {
    embed::TextTokens out;
    for (std::size_t at = 0; at < text.size(); at += 2) {
      out.ids.push_back(text[at] - 'a');
      out.facts.push_back({text.substr(at, 1), false, true});
      out.offsets.push_back({at, at + 1});
    }
    return out;
  }
};

Result score(const std::string& metric, const std::string& reference, const std::string& line) {
  text::Corpus references, lines;
  references.add(reference);
  lines.add(line);
  const embed::RunTexts texts{{&references, 1}, {&lines, 1}};
  const std::vector<std::string> names = {"sys"};
  const std::vector<MetricRequest> requests = {parse_metric_request(metric)};
  ThreeWords source;
  ThreadPool pool(1);
  const auto device = compute::make_cpu_device(pool);
  const RunContext context{pool};
  PairRun run(requests, make_pair_metrics(requests), texts, names, source, {}, *device, context);
  embed::TextUser* const user = &run;
  embed::run_texts(source, texts, {&user, 1}, context);
  return run.results()[0];
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
