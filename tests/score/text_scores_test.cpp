// Every kind of metric on texts, with the small BERT of tests/encoder and a vocabulary of letters.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "api/compare.hpp"
#include "api/correlate.hpp"
#include "api/embedding.hpp"
#include "api/markeval.hpp"
#include "meta/correlation.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_model.hpp"

namespace markeval {
namespace {

using Json = nlohmann::json;

class TextScores : public ::testing::Test {
 protected:
  TextScores() {
    request_.references = {
        {"", folder_.write("refs.txt", "a cat sat.\nthe dog\nno more\nyes it is\n x y z \nbig old tree\n")}};
    request_.systems = {
        {"", folder_.write("good.txt", "a cat sits.\nthe dog\nnot more\nyes it was\nx y z\nold big tree\n")},
        {"", folder_.write("poor.txt", "q\nq w\nq\nq w e\nq\nq w\n")}};
    request_.encoder.model = write_tiny_model(folder_);
    request_.encoder.cache = "none";
  }
  Report score(std::vector<Metric> metrics) {
    request_.metrics = std::move(metrics);
    return Evaluator({.threads = 2}).score(request_);
  }
  void expect_usage(const std::string& metric, const std::string& message) {
    request_.metrics = {metric};
    EXPECT_ERROR(Evaluator().score(request_), ErrorCode::usage, message);
  }

  TempFolder folder_;
  ScoreRequest request_;
};

TEST_F(TextScores, SentencesScoreAsTheVectorsThatEmbedWrites) {
  const Report texts = score({"me:k=2", "prdc:k=1", "fid"});
  ScoreRequest vectors = request_;
  for (auto* list : {&vectors.references, &vectors.systems}) {
    for (Input& input : *list) {
      EmbedRequest embed;
      embed.input = std::get<std::string>(input.source);
      embed.output = embed.input.substr(0, embed.input.size() - 3) + "npy";
      embed.encoder.model = request_.encoder.model;
      embed.encoder.cache = "none";
      embed.layer = -1;
      embed_texts(embed);
      input.source = embed.output;
    }
  }
  const Report rows = Evaluator().score(vectors);
  ASSERT_EQ(texts.results().size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(texts.results()[i].scores, rows.results()[i].scores);
  const std::string model =
      texts.results()[0].signature().substr(texts.results()[0].signature().find("tiny@"), 13);
  EXPECT_EQ(texts.results()[0].signature(), "me|k:2|samples:sentence|scope:corpus|ball:closed|model:" +
                                                model + "|layer:last|pool:mean|precision:f32|version:0.1.0");
}

TEST_F(TextScores, KindsMixAndKeepTheOrderAskedFor) {
  const std::vector<Metric> metrics{
      "chrf", "me:samples=word", "bertscore:layer=2", "me", "bleu", "impar:samples=word,scope=segment"};
  const Report all = score(metrics);
  ASSERT_EQ(all.results().size(), 12u);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(all.results()[i].requested, metrics[i % 6].typed);
    EXPECT_EQ(all.results()[i].system, i < 6 ? "good" : "poor");
    const Report alone = score({metrics[i % 6]});
    EXPECT_EQ(alone.results()[i / 6].scores, all.results()[i].scores) << metrics[i % 6].typed;
    EXPECT_EQ(alone.results()[i / 6].signature(), all.results()[i].signature());
  }
}

/// Alone, a mover metric has the last layer of its own tokens only; beside bertscore, of all.
TEST_F(TextScores, MoverMetricsHaveTheSameBitsBesideAMetricThatNeedsMoreTokens) {
  request_.segments = true;
  for (const std::string metric : {"moverscore", "moverscore:compat=v1,n=2", "moverscore:compat=v2",
                                   "hmd:idf=no", "moverscore:aggregate=routing"}) {
    const Report alone = score({metric}), beside = score({metric, "bertscore:layer=2", "bertr"});
    EXPECT_EQ(alone.results()[0].segments, beside.results()[0].segments) << metric;
    EXPECT_EQ(alone.results()[1].segments, beside.results()[3].segments) << metric;
  }
}

TEST_F(TextScores, WordsOfUnitLengthScoreAsNormalisedTokens) {
  // Single letters: every token but [CLS] and [SEP] is a word.
  const std::vector<std::string> references = {"a b c", "d e", "f"}, lines = {"a c", "d f e", "q"};
  ScoreRequest rows;
  std::vector<std::vector<float>> kept;
  for (const auto* texts : {&references, &lines}) {
    EmbedRequest embed;
    embed.pool = "none";
    embed.normalize = true;
    embed.layer = -1;
    embed.encoder = request_.encoder;
    const TextVectors found = Evaluator().embed(*texts, embed);
    std::vector<float>& values = kept.emplace_back();
    for (std::size_t text = 0; text < texts->size(); ++text) {
      const auto begin =
          found.values.begin() + static_cast<std::ptrdiff_t>((found.starts[text] + 1) * found.columns);
      values.insert(
          values.end(), begin,
          found.values.begin() + static_cast<std::ptrdiff_t>((found.starts[text + 1] - 1) * found.columns));
    }
    (texts == &references ? rows.references : rows.systems).push_back({"x", Rows<float>{{}, found.columns}});
  }
  std::get<Rows<float>>(rows.references[0].source).values = kept[0];
  std::get<Rows<float>>(rows.systems[0].source).values = kept[1];
  rows.metrics = {"me", "prdc:k=2", "fid"};
  request_.references = {{"x", Texts{references}}};
  request_.systems = {{"x", Texts{lines}}};
  const std::string words = "samples=word,layers=last,unit=yes";
  const Report unit =
      score({"me:" + words, "prdc:k=2," + words, "fid:" + words, "fid:samples=word,layers=last"});
  const Report expected = Evaluator().score(rows);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(unit.results()[i].scores, expected.results()[i].scores);
  EXPECT_NE(unit.results()[3].scores, unit.results()[2].scores) << "of raw length without the option";
  EXPECT_NE(unit.results()[2].signature().find("|layers:2|unit:yes|"), std::string::npos);
  EXPECT_EQ(unit.results()[3].signature().find("unit"), std::string::npos);
  EXPECT_NE(score({"fid:unit=yes"}).results()[0].scores, score({"fid"}).results()[0].scores)
      << "of sentences too";
}

TEST_F(TextScores, SegmentsOfWords) {
  request_.segments = true;
  const Report report = score({"me:samples=word,scope=segment", "me:samples=word", "chrf"});
  const Result& words = report.results()[0];
  ASSERT_EQ(words.segments.size(), 4u);
  ASSERT_EQ(words.segments[0].second.size(), 6u);
  EXPECT_EQ(words.segments[0].second[1], 1) << "the same words";
  double sum = 0;
  for (const double value : words.segments[0].second) sum += value;
  EXPECT_DOUBLE_EQ(words.scores[0].second, sum / 6);
  EXPECT_NE(words.signature().find("|samples:word|scope:segment|multi:mean|ball:closed|"), std::string::npos);
  EXPECT_NE(words.signature().find("|layers:1-2|"), std::string::npos) << words.signature();
  EXPECT_TRUE(report.results()[1].segments.empty());
  EXPECT_NE(report.tsv().find("good\tall\tme:samples=word\tpetersen\t"), std::string::npos) << report.tsv();
}

TEST_F(TextScores, SetMetricsOfSegmentsAreTheSameAloneAndTogether) {
  request_.segments = true;
  std::vector<Metric> metrics;
  for (const std::string name : {"me", "impar", "prdc", "prd", "fid"})
    metrics.emplace_back(name + ":samples=word,scope=segment");
  const Report together = score(metrics);
  for (std::size_t index = 0; index < metrics.size(); ++index) {
    EXPECT_EQ(score({metrics[index]}).results()[0].segments, together.results()[index].segments)
        << metrics[index].typed;
  }
}

// The rows of a line do not depend on what else is scored: in blocks, or beside a corpus.
TEST_F(TextScores, SegmentsAreTheSameBesideACorpus) {
  request_.references.push_back({"", folder_.write("more.jsonl", R"({"r": ["a cat", "cats sat"]}
{"r": ["dogs"]}
{"r": ["none", "of it"]}
{"r": ["it is"]}
{"r": ["x"]}
{"r": ["tree"]}
)") + ":r"});
  for (const char* multi : {"mean", "max", "union"}) {
    const std::string metric = std::string("me:samples=word,scope=segment,multi=") + multi;
    EXPECT_EQ(score({metric}).results()[0].scores, score({"fid:samples=word", metric}).results()[1].scores);
  }
}

TEST_F(TextScores, SetsNeedNotBeOfOneSize) {
  request_.systems = {{"", folder_.write("long.txt", "a b\nc d\ne f\ng h\ni\nj\nk\nl\n")}};
  EXPECT_EQ(std::get<std::uint64_t>(score({"me"}).results()[0].details[1].second), 8u);
  request_.metrics = {"me", "chrf"};
  EXPECT_ERROR(Evaluator().score(request_), ErrorCode::invalid_input, "long.txt has 8 segments but");
  request_.metrics = {"me:samples=word,scope=segment"};
  EXPECT_ERROR(Evaluator().score(request_), ErrorCode::invalid_input, "long.txt has 8 segments but");
}

TEST_F(TextScores, TextsInMemoryAreAsGoodAsFiles) {
  const Report files = score({"me", "chrf"});
  const std::vector<std::string> lines{"a cat sat.", "the dog", "no more",
                                       "yes it is",  " x y z ", "big old tree"};
  request_.references = {{"refs", Texts{lines}}};
  EXPECT_EQ(score({"me", "chrf"}).tsv(), files.tsv());
  const std::vector<std::size_t> pairs{0, 2, 3, 4, 5, 6}, wrong{0, 2, 2, 6};
  request_.references = {{"refs", Texts{lines, pairs}}};
  EXPECT_ERROR(score({"chrf"}), ErrorCode::invalid_input, "good.txt has 6 segments but refs has 5");
  request_.references = {{"refs", Texts{lines, wrong}}};
  EXPECT_ERROR(score({"chrf"}), ErrorCode::invalid_input,
               "refs: the starts of segments do not rise from 0 to 6");
  const std::vector<std::string> bad{"fine", "\xff"}, none;
  request_.references = {{"refs", Texts{bad}}};
  EXPECT_ERROR(Evaluator().score(request_), ErrorCode::invalid_input, "refs: text 2 is not valid UTF-8");
  request_.references = {{"refs", Texts{none}}};
  EXPECT_ERROR(Evaluator().score(request_), ErrorCode::invalid_input, "refs: no texts");
}

/// A pair metric is a mean of segment scores, so are words by segment: every test takes them.
TEST_F(TextScores, CompareTestsPairMetricsAndSegmentsOfWords) {
  request_.metrics = {"bertscore:layer=2", "moverscore", "me:samples=word,scope=segment"};
  std::swap(request_.systems[0], request_.systems[1]);
  request_.segments = true;
  const Report scored = Evaluator().score(request_);
  request_.segments = false;
  for (const char* test : {"bootstrap", "randomisation", "t"}) {
    const ComparisonReport report = Evaluator({.threads = 2}).compare(request_, {.test = test});
    const Json document = Json::parse(report.json())["results"];
    ASSERT_EQ(document.size(), 8u);
    for (const Json& result : document) {
      EXPECT_EQ(result["systems"][1]["score"], scored.score("good", result["metric"].get<std::string>(),
                                                            result["result"].get<std::string>()))
          << result["metric"];
      EXPECT_EQ(result["test"], test);
      EXPECT_NE(result["signature"].get<std::string>().find("|model:tiny@"), std::string::npos);
    }
    EXPECT_EQ(report.rank("good", "bertscore:layer=2", "f1"), 1u) << test;
    EXPECT_LT(*report.p_value("good", "bertscore:layer=2", "f1"), 0.06) << test;
    EXPECT_LT(*report.p_value("good", "moverscore", "moverscore"), 0.06) << test;
  }
}

TEST_F(TextScores, SameForAnyThreadsAndFromTheCache) {
  request_.encoder.cache = folder_.file("cache");
  request_.metrics = {"me:samples=word", "me", "prdc:samples=word,scope=segment,k=2",
                      "prd:clusters=3,runs=2"};
  const std::string one = Evaluator({.threads = 1}).score(request_).json();
  EXPECT_EQ(Evaluator({.threads = 3}).score(request_).json(), one);
}

TEST_F(TextScores, ExplainShowsLineAndText) {
  request_.explain = true;
  const Json document = Json::parse(score({"bertscore:layer=1", "me", "me:samples=word"}).explanation_json());
  const Json& list = document["explanations"];
  const Json& sentences = list[0];
  EXPECT_EQ(sentences["metric"], "me");
  const Json& words = *std::find_if(list.begin(), list.end(),
                                    [](const Json& entry) { return entry["request"] == "me:samples=word"; });
  EXPECT_TRUE(words["off_manifold"].empty() || words["off_manifold"][0].contains("word"));
  const Json& missing = list[1]["missing_modes"];  // poor
  ASSERT_EQ(list[1]["system"], "poor");
  ASSERT_FALSE(missing.empty());
  EXPECT_EQ(missing[0]["file"], folder_.file("refs.txt"));
  const std::vector<std::string> lines{"a cat sat.", "the dog", "no more",
                                       "yes it is",  "x y z",   "big old tree"};
  EXPECT_EQ(missing[0]["text"], lines.at(missing[0]["line"].get<std::size_t>() - 1));
  EXPECT_EQ(
      std::count_if(list.begin(), list.end(), [](const Json& entry) { return entry.contains("links"); }), 12);
}

TEST_F(TextScores, TruncatedTextsAreTold) {
  request_.encoder.max_length = 3;
  const Report report = score({"me"});
  ASSERT_EQ(report.warnings().size(), 3u);
  EXPECT_NE(report.warnings()[0].find("refs.txt: 6 of 6 texts are longer than --max-length 3 and were cut ("),
            std::string::npos);
  EXPECT_NE(report.results()[0].signature().find("|precision:f32|max_length:3|"), std::string::npos);
  request_.encoder.windows = true;
  request_.encoder.max_length = 6;
  EXPECT_TRUE(score({"me"}).warnings().empty());
  EXPECT_NE(score({"me"}).results()[0].signature().find("|max_length:6|long:window|"), std::string::npos);
  EXPECT_TRUE(score({"bertscore:layer=1"}).warnings().empty()) << "pair metrics read them whole, too";
}

TEST_F(TextScores, WrongOptionsAreNamed) {
  expect_usage("me:scope=segment",
               "me: a segment is one sentence, too few for a set; expected "
               "me:samples=word,scope=segment");
  expect_usage("me:multi=max",
               "me: multi=max is for scope=segment; over a corpus several references are one set");
  expect_usage("me:layers=3", "names no layer of 0 to 2");
  expect_usage("me:layers=1-2", "layers '1-2': sentences have one row, of one layer; words take several");
  request_.segments = true;
  expect_usage("me", "me scores a set as a whole; me:samples=word,scope=segment scores every segment");
  request_.segments = false;
  request_.encoder.precision = "f16";
  expect_usage("me", "unknown precision 'f16'; did you mean 'bf16'?");
  request_.encoder.precision = "f32";
  request_.explain = true;
  expect_usage("me:samples=word,scope=segment", "nothing to explain");
  request_.explain = false;
  request_.encoder.model = "no-such-model";
  expect_usage("me", "no-such-model");
}

TEST_F(TextScores, TextsAndVectorsDoNotMix) {
  const std::vector<float> rows{1, 2, 3, 4};
  request_.systems.push_back({"v", Rows<float>{rows, 2}});
  expect_usage("me", "v holds vectors but " + folder_.file("refs.txt") + " texts, expected all of one kind");
  expect_usage("chrf", "chrf needs texts, but v holds vectors");
  request_.references = request_.systems = {{"v", Rows<float>{rows, 2}}};
  expect_usage("me:layers=1", "me: layers=1 needs texts");
}

TEST_F(TextScores, CorpusWithoutWordsIsAnError) {
  request_.systems = {{"", folder_.write("dots.txt", ".\n\n.\n")}};
  request_.metrics = {"me:samples=word"};
  EXPECT_ERROR(Evaluator().score(request_), ErrorCode::invalid_input,
               "dots.txt: no words, nothing but empty lines and punctuation");
}

TEST_F(TextScores, CorrelateTakesSetMetricsOfSegments) {
  CorrelateRequest request;
  request.table = folder_.write(
      "judged.tsv", "human\tref\thyp\n3\ta cat sat\ta cat sat\n2\tthe old dog\tthe dog\n1\tno more\tq w\n");
  request.gold = {"human"};
  request.all_results = true;
  request.reference = "ref";
  request.hypothesis = "hyp";
  request.metrics = {"me:samples=word,scope=segment,k=2"};
  request.encoder.model = request_.encoder.model;
  request.encoder.cache = "none";
  const CorrelationReport report = correlate(request, {});
  request_.references = {{"", folder_.write("judged_refs.txt", "a cat sat\nthe old dog\nno more\n")}};
  request_.systems = {{"", folder_.write("judged_hyps.txt", "a cat sat\nthe dog\nq w\n")}};
  request_.segments = true;
  const Report scores = score(request.metrics);
  const std::vector<double> gold{3, 2, 1};
  for (const auto& [name, values] : scores.results()[0].segments) {
    EXPECT_EQ(report.value(request.metrics[0].typed + "." + name, "all", "pearson"),
              meta::pearson(gold, values))
        << name;
  }
  request.metrics = {"me"};
  EXPECT_ERROR(correlate(request, {}), ErrorCode::usage, "me:samples=word,scope=segment");
}

}  // namespace
}  // namespace markeval
