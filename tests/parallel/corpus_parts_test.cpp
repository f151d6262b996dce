// A corpus in parts gives the report of one run, to the byte; damaged parts are errors.
#include "parallel/corpus_parts.hpp"

#include <gtest/gtest.h>

#include "api/compare.hpp"
#include "api/markeval.hpp"
#include "parallel/score_part.hpp"
#include "score/compare.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_model.hpp"

namespace markeval {
namespace {

const std::vector<std::string> kReferences{
    "a cat sat there.", "the dog barks", "no more of it", "yes it is", "x y z", "a big tree", "a cat", ""};
const std::vector<std::string> kMine{"a cat sits here.",
                                     "the dog barks",
                                     "not more of it",
                                     "yes it was",
                                     "x z y",
                                     "an old tree",
                                     "a cat",
                                     "a"};
const std::vector<std::string> kOther{"the cat .", "a dog", "no", "it is", "x y", "tree", "cat", "b"};

class CorpusPartsTest : public ::testing::Test {
 protected:
  CorpusPartsTest() : model_(write_tiny_model(folder_)) {}

  ScoreRequest request(std::vector<Metric> metrics, std::size_t begin = 0, std::size_t count = 8) const {
    const auto some = [&](const std::vector<std::string>& texts) {
      return Texts{std::span(texts).subspan(begin, count)};
    };
    ScoreRequest request;
    request.references = {{"ref", some(kReferences)}};
    request.systems = {{"mine", some(kMine)}, {"other", some(kOther)}};
    request.metrics = std::move(metrics);
    request.encoder.model = model_;
    request.encoder.cache = "none";
    return request;
  }

  /// What parts of `size` segments give.
  std::vector<std::string> parts(const ScoreRequest& like, std::size_t size) {
    std::vector<std::string> counts, found;
    for (std::size_t begin = 0; begin < kMine.size(); begin += size)
      counts.push_back(parallel::CorpusParts(evaluator_.runtime()).count(request(like.metrics, begin, size)));
    const std::string all =
        parallel::CorpusParts::merge_counts(std::vector<std::string_view>(counts.begin(), counts.end()));
    for (std::size_t begin = 0; begin < kMine.size(); begin += size) {
      ScoreRequest one = like;
      one.references = request({}, begin, size).references;
      one.systems = request({}, begin, size).systems;
      found.push_back(parallel::CorpusParts(evaluator_.runtime()).score(one, {all, {}}));
    }
    return found;
  }

  TempFolder folder_;
  std::string model_;
  Evaluator evaluator_{Settings{2, "cpu", 0}};
};

ScoreRequest without_texts(ScoreRequest request, const std::vector<std::string>& parts) {
  for (Input& input : request.references) input.source = Texts{};
  for (Input& input : request.systems) input.source = Texts{};
  request.gathered = {{parts.begin(), parts.end()}};
  return request;
}

TEST_F(CorpusPartsTest, GiveTheReportOfOneRun) {
  ScoreRequest whole = request({"bleu", "chrf", "ter", "rouge1", "bertscore:idf=yes", "moverscore"});
  for (const std::size_t resamples : {0, 20}) {
    for (const bool segments : {false, true}) {
      whole.resamples = resamples;
      whole.segments = segments;
      const std::string expected = evaluator_.score(whole).json();
      for (const std::size_t size : {1, 2, 4, 8})
        EXPECT_EQ(evaluator_.score(without_texts(whole, parts(whole, size))).json(), expected) << size;
    }
  }
}

TEST_F(CorpusPartsTest, GiveTheComparisonOfOneRun) {
  const ScoreRequest whole = request({"chrf", "bertscore"});
  const CompareOptions options;
  const std::string expected = evaluator_.compare(whole, options).json();
  const ScoreRequest scored = score::request_of_comparison(whole, options);
  EXPECT_EQ(evaluator_.compare(without_texts(whole, parts(scored, 2)), options).json(), expected);
}

TEST_F(CorpusPartsTest, CarriedVectorsAreThoseOfOneRun) {
  ScoreRequest whole = request({"me:k=1", "words=prdc:samples=word,k=1"});
  const std::string expected = evaluator_.score(whole).json();
  std::vector<std::string> vectors;
  for (const auto* texts : {&kReferences, &kMine, &kOther})
    vectors.push_back(parallel::CorpusParts(evaluator_.runtime()).embed(*texts, request(whole.metrics)));
  const std::string part =
      parallel::CorpusParts(evaluator_.runtime()).score(whole, {{}, {vectors.begin(), vectors.end()}});
  EXPECT_EQ(evaluator_.score(without_texts(whole, {part})).json(), expected);
}

TEST_F(CorpusPartsTest, PlanSaysHowMetricsAreScored) {
  const std::vector<parallel::PartPlan> plans =
      parallel::plan_parts(request({"bleu", "cider", "bertscore:idf=yes", "me:samples=word"}));
  ASSERT_EQ(plans.size(), 4u);
  EXPECT_FALSE(plans[0].whole || plans[0].counts_tokens);
  EXPECT_TRUE(plans[1].whole && !plans[1].needs_vectors);
  EXPECT_TRUE(plans[2].counts_tokens && !plans[2].whole);
  EXPECT_TRUE(plans[3].whole && plans[3].needs_vectors && plans[3].results.empty());
  EXPECT_EQ(plans[3].layers_of_words, 5u);
}

TEST_F(CorpusPartsTest, PlanCountsTheLayersOfWords) {
  const std::vector<parallel::PartPlan> plans = parallel::plan_parts(
      request({"me:samples=word,layers=2-4", "me:samples=word,layers=last", "me", "prdc"}));
  ASSERT_EQ(plans.size(), 4u);
  EXPECT_EQ(plans[0].layers_of_words, 3u);
  EXPECT_EQ(plans[1].layers_of_words, 1u);
  EXPECT_EQ(plans[2].layers_of_words, 0u);
  EXPECT_TRUE(plans[2].compats.empty());
  EXPECT_EQ(plans[3].compats, std::vector<std::string>{"prdc"});
}

TEST_F(CorpusPartsTest, DamagedPartsAreErrors) {
  const ScoreRequest whole = request({"chrf"});
  const std::string part = parallel::CorpusParts(evaluator_.runtime()).score(whole);
  for (std::size_t size = 0; size < part.size(); size += 7)
    EXPECT_THROW(static_cast<void>(parallel::unpack_part(std::string_view(part).substr(0, size))), Error)
        << size;
  EXPECT_THROW(static_cast<void>(parallel::unpack_part(std::string("\x05\0\0\0\0\0\0\0"
                                                                   "9.9.9",
                                                                   13))),
               Error);
  EXPECT_THROW(evaluator_.score(without_texts(request({"bleu"}), {part})), Error);
  EXPECT_THROW(evaluator_.score(without_texts(whole, {})), Error);
}

}  // namespace
}  // namespace markeval
