// One Evaluator for many calls and many threads, and what it tells besides scores.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <thread>

#include "api/compare.hpp"
#include "api/correlate.hpp"
#include "api/embedding.hpp"
#include "api/markeval.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_model.hpp"

namespace markeval {
namespace {

const std::vector<std::string> kSharedReferences{"a cat sat.", "the dog", "no more", "yes it is", "x y z"};
const std::vector<std::string> kSharedSystem{"a cat sits.", "the dog", "not more", "it was", "x z y"};

class SharedEvaluator : public ::testing::Test {
 protected:
  SharedEvaluator() : model_(write_tiny_model(folder_)) {}

  ScoreRequest request(std::vector<Metric> metrics) const {
    ScoreRequest request;
    request.references = {{"r", Texts{kSharedReferences}}};
    request.systems = {{"s", Texts{kSharedSystem}}};
    request.metrics = std::move(metrics);
    request.encoder.model = model_;
    request.encoder.cache = "none";
    request.segments = true;
    return request;
  }
  EmbedRequest embed_request() const {
    EmbedRequest request;
    request.encoder.model = model_;
    request.encoder.cache = "none";
    request.layer = -1;
    return request;
  }

  TempFolder folder_;
  std::string model_;
  Evaluator evaluator_{{.threads = 2}};
};

TEST_F(SharedEvaluator, GivesTheSameBitsToThreadsThatScoreAtOnce) {
  const ScoreRequest wanted = request(
      {"bertscore:layer=2,idf=yes", "moverscore:layers=last", "me:samples=word", "bleu", "chrf", "ter"});
  const std::string expected = Evaluator({.threads = 1}).score(wanted).json();
  std::vector<std::string> found(8);
  std::vector<std::thread> threads;
  for (std::string& text : found) {
    threads.emplace_back([&] {
      for (int call = 0; call < 3; ++call) text = evaluator_.score(wanted).json();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : found) EXPECT_EQ(text, expected);
}

TEST_F(SharedEvaluator, WaitingForAModelEndsWhenCancelled) {
  std::atomic<bool> cancel{true};
  EXPECT_ERROR(evaluator_.score(request({"bertscore:layer=2"}), nullptr, &cancel), ErrorCode::cancelled,
               "stopped on request");
}

TEST_F(SharedEvaluator, EmbedsTextsAsTheFileWouldHoldThem) {
  EmbedRequest file = embed_request();
  std::string lines;
  for (const std::string& line : kSharedReferences) lines += line + "\n";
  file.input = folder_.write("texts.txt", lines);
  file.output = folder_.file("texts.npy");
  const EmbedReport report = embed_texts(file);
  const TextVectors vectors = evaluator_.embed(kSharedReferences, embed_request());
  EXPECT_EQ(vectors.rows, kSharedReferences.size());
  EXPECT_EQ(vectors.values.size(), vectors.rows * vectors.columns);
  EXPECT_EQ(vectors.report.signature, report.signature);
  EXPECT_TRUE(vectors.starts.empty());
  std::ifstream npy(file.output, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(npy)), {});
  const std::string values(reinterpret_cast<const char*>(vectors.values.data()), vectors.values.size() * 4);
  ASSERT_GT(bytes.size(), values.size());
  EXPECT_EQ(bytes.substr(bytes.size() - values.size()), values);
}

TEST_F(SharedEvaluator, EmbedsTokensWithTheirIds) {
  EmbedRequest request = embed_request();
  request.pool = "none";
  const std::vector<std::string> texts{"ab", "", "c d"};
  const TextVectors vectors = evaluator_.embed(texts, request);
  EXPECT_EQ(vectors.starts, (std::vector<std::size_t>{0, 4, 6, 10}));  // [CLS] a ##b [SEP]
  EXPECT_EQ(vectors.ids.size(), vectors.rows);
  const auto ids = evaluator_.tokenize(texts, request);
  ASSERT_EQ(ids.size(), 3u);
  std::vector<std::int32_t> together;
  for (const auto& one : ids) together.insert(together.end(), one.begin(), one.end());
  EXPECT_EQ(vectors.ids, together);
}

TEST_F(SharedEvaluator, EmbeddingRefusesTextThatIsNotUtf8) {
  const std::vector<std::string> texts{"fine", "\xff"};
  EXPECT_ERROR(evaluator_.embed(texts, embed_request()), ErrorCode::invalid_input,
               "text 2 is not valid UTF-8");
}

TEST_F(SharedEvaluator, GivenWeightsTakeThePlaceOfCountedOnes) {
  ScoreRequest counted = request({"bertscore:layer=2,idf=yes"});
  const Report by_counting = evaluator_.score(counted);
  const auto ids = evaluator_.tokenize(kSharedReferences, embed_request());
  TokenWeights weights;
  std::map<std::int32_t, int> texts_with;
  for (const auto& text : ids) {
    for (const std::int32_t id : std::set<std::int32_t>(text.begin(), text.end())) ++texts_with[id];
  }
  for (const auto& [id, with] : texts_with) weights.weights.emplace_back(id, std::log(6.0 / (with + 1)));
  weights.other = std::log(6.0);
  counted.reference_weights = weights;
  const Report by_hand = evaluator_.score(counted);
  EXPECT_EQ(by_hand.results()[0].scores, by_counting.results()[0].scores);
  EXPECT_NE(by_hand.results()[0].signature().find("|idf:given|"), std::string::npos);

  counted.reference_weights = TokenWeights{{}, 1};
  const Report alike = evaluator_.score(counted);
  EXPECT_EQ(alike.results()[0].scores, evaluator_.score(request({"bertscore:layer=2"})).results()[0].scores);
}

TEST_F(SharedEvaluator, EachSideOfMoverScoreHasItsGivenWeights) {
  ScoreRequest given = request({"moverscore:compat=v1,layers=last5,idf=yes"});
  given.reference_weights = given.candidate_weights = TokenWeights{{}, 1};
  ScoreRequest equal = request({"moverscore:compat=v1,idf=no"});
  EXPECT_EQ(evaluator_.score(given).results()[0].scores, evaluator_.score(equal).results()[0].scores);
}

TEST_F(SharedEvaluator, KeepsCountsAndResampledScoresWhereAskedFor) {
  ScoreRequest wanted = request({"bleu", "rouge1"});
  wanted.keep_statistics = true;
  wanted.resamples = 50;
  const Report report = evaluator_.score(wanted);
  const Result& bleu = report.results()[0];
  EXPECT_EQ(bleu.statistics.columns, 10u);
  EXPECT_EQ(bleu.statistics.values.size(), 50u);
  EXPECT_EQ(bleu.statistics.values[0], 4);  // words of the first text: a cat sits .
  ASSERT_EQ(bleu.resampled.size(), 1u);
  EXPECT_EQ(bleu.resampled[0].second.values.size(), 50u);
  EXPECT_EQ(report.results()[1].statistics.columns, 0u);  // a mean of segments
  EXPECT_TRUE(evaluator_.score(request({"bleu"})).results()[0].statistics.values.empty());
}

TEST_F(SharedEvaluator, CorrelatesColumnsInMemoryAsThoseOfAFile) {
  CorrelateRequest file;
  file.table = folder_.write("scores.tsv", "human\tm\tlp\n1\t2\ta\n2\t1\ta\n4\t\tb\n3\t3\tb\n5\t9\tb\n");
  file.gold = {"human"};
  file.predicted = {"m"};
  file.group = "lp";
  CorrelateRequest memory = file;
  memory.table = "table";
  memory.columns = {{"human", {1, 2, 4, 3, 5}, {}, {}},
                    {"m", {2, 1, std::nullopt, 3, 9}, {}, {}},
                    {"lp", {}, {"a", "a", "b", "b", "b"}, {}}};
  EXPECT_EQ(evaluator_.correlate(memory).tsv(), correlate(file, {}).tsv());
  memory.predicted = {"n"};
  EXPECT_ERROR(evaluator_.correlate(memory), ErrorCode::usage, "table: no column 'n'");
  memory.predicted = {"lp"};
  EXPECT_ERROR(evaluator_.correlate(memory), ErrorCode::invalid_input, "table: column 'lp' holds no numbers");
  memory.predicted = {"m"};
  memory.columns[1].numbers.pop_back();
  EXPECT_ERROR(evaluator_.correlate(memory), ErrorCode::invalid_input,
               "table: column 'm' has 4 rows but 'human' has 5");
}

TEST_F(SharedEvaluator, ScoresTextsOfColumnsInMemory) {
  CorrelateRequest memory;
  memory.table = "table";
  memory.columns = {
      {"human", {1, 5, 2, 3, 4}, {}, {}}, {"ref", {}, kSharedReferences, {}}, {"hyp", {}, kSharedSystem, {}}};
  memory.gold = {"human"};
  memory.reference = "ref";
  memory.hypothesis = "hyp";
  memory.metrics = {"chrf"};
  EXPECT_TRUE(evaluator_.correlate(memory).value("chrf", "all", "pearson").has_value());
  memory.reference = "human";
  EXPECT_ERROR(evaluator_.correlate(memory), ErrorCode::invalid_input,
               "table: column 'human' holds no texts");
}

TEST_F(SharedEvaluator, MakesABaselineOfTextsInMemory) {
  BaselineRequest in_memory;
  in_memory.texts = {"texts", Texts{kSharedReferences}};
  in_memory.pairs = 20;
  in_memory.encoder.model = model_;
  BaselineRequest of_file = in_memory;
  std::string lines;
  for (const std::string& line : kSharedReferences) lines += line + "\n";
  of_file.texts.source = folder_.write("texts.txt", lines);
  EXPECT_EQ(evaluator_.baseline(in_memory), evaluator_.baseline(of_file));
}

TEST(MetricWords, AreWhatTheMetricCounts) {
  EXPECT_EQ(metric_words("rouge1:stem=yes", "The cats' 3.5"),
            (std::vector<std::string>{"the", "cat", "3", "5"}));
  EXPECT_EQ(metric_words("bleu", "It's 3.5%."), (std::vector<std::string>{"It's", "3.5", "%", "."}));
  EXPECT_EQ(metric_words("ter:normalized=yes", "Jim's"), (std::vector<std::string>{"jim", "'s"}));
  EXPECT_ERROR(metric_words("chrf", "a"), ErrorCode::usage, "can list the words they count");
  EXPECT_ERROR(metric_words("me", "a"), ErrorCode::usage, "me counts no words");
  EXPECT_ERROR(metric_words("bleu", "\xff"), ErrorCode::invalid_input, "the text is not valid UTF-8");
}

}  // namespace
}  // namespace markeval
