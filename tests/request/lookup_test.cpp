// A result is looked up by the whole request as typed; a bare name serves where one variant was asked for.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "api/compare.hpp"
#include "api/markeval.hpp"
#include "request/lookup.hpp"
#include "support/examples.hpp"
#include "support/temp_folder.hpp"

namespace markeval {
namespace {

using Json = nlohmann::json;

ScoreRequest request_of(std::vector<Metric> metrics) {
  return {.references = {{"", kExamples + "/reference.npy"}},
          .systems = {{"", kExamples + "/good.npy"}, {"", kExamples + "/poor.npy"}},
          .metrics = std::move(metrics)};
}

ScoreRequest texts_of(std::vector<Metric> metrics) {
  return {.references = {{"", kExamples + "/reference.txt"}},
          .systems = {{"", kExamples + "/hasty.txt"}, {"", kExamples + "/careful.txt"}},
          .metrics = std::move(metrics)};
}

TEST(Lookup, TheWholeRequestComesBeforeABareName) {
  const std::vector<std::string> requests{"me:k=3", "bleu", "me", "chrf:word_order=2"};
  EXPECT_EQ(request::find_request(requests, "me"), "me");
  EXPECT_EQ(request::find_request(requests, "me:k=3"), "me:k=3");
  EXPECT_EQ(request::find_request(requests, "chrf"), "chrf:word_order=2");
  EXPECT_EQ(request::find_request(std::vector<std::string>{"me:k=3", "me:k=3"}, "me"), "me:k=3")
      << "of two systems";
}

TEST(Lookup, ABareNameOfSeveralVariantsIsAnErrorThatNamesThem) {
  const std::vector<std::string> requests{"me:k=3", "me:k=5", "bleu"};
  EXPECT_ERROR((void)request::find_request(requests, "me"), ErrorCode::usage,
               "metric 'me' was asked for as me:k=3 and as me:k=5; expected one of them");
  EXPECT_ERROR((void)request::find_request(requests, "me:k=4"), ErrorCode::usage,
               "no metric 'me:k=4'; did you mean 'me:k=3'? (metrics: me:k=3, me:k=5, bleu)");
}

TEST(Report, AVariantAskedForFirstDoesNotTakeThePlaceOfAnother) {
  Evaluator evaluator;
  const double plain = evaluator.score(request_of({"me"})).score("poor", "me", "petersen");
  const double wide = evaluator.score(request_of({"me:k=3"})).score("poor", "me", "petersen");
  ASSERT_NE(plain, wide);
  const Report both = evaluator.score(request_of({"me:k=3", "me"}));
  EXPECT_EQ(both.score("poor", "me", "petersen"), plain);
  EXPECT_EQ(both.score("poor", "me:k=3", "petersen"), wide);
  const Report variants = evaluator.score(request_of({"me:k=3", "me:k=5"}));
  EXPECT_ERROR((void)variants.score("poor", "me", "petersen"), ErrorCode::usage, "me:k=3 and as me:k=5");
}

TEST(Report, WithoutAResultGivesTheMainOne) {
  Evaluator evaluator;
  const Report vectors = evaluator.score(request_of({"me:k=3", "prdc"}));
  EXPECT_EQ(vectors.score("good", "me"), vectors.score("good", "me", "petersen"));
  EXPECT_EQ(vectors.score("good", "prdc"), vectors.score("good", "prdc", "coverage"));
  const Report texts = evaluator.score(texts_of({"rougeL", "bleu"}));
  EXPECT_EQ(texts.score("hasty", "rougeL"), texts.score("hasty", "rougeL", "f1"));
  EXPECT_EQ(texts.score("hasty", "bleu"), texts.score("hasty", "bleu", "bleu"));
}

TEST(Report, NamesWhatIsThereForWhatIsNot) {
  Evaluator evaluator;
  const Report report = evaluator.score(request_of({"me:k=3"}));
  EXPECT_ERROR((void)report.score("good", "me", "peterson"), ErrorCode::usage,
               "me:k=3 has no result 'peterson'; did you mean 'petersen'?");
  EXPECT_ERROR((void)report.score("goood", "me", "petersen"), ErrorCode::usage,
               "no system 'goood'; did you mean 'good'? (systems: good, poor)");
  EXPECT_ERROR((void)report.score("good", "mee", "petersen"), ErrorCode::usage, "no metric 'mee'");
}

TEST(Report, JsonAndTsvTellVariantsApart) {
  Evaluator evaluator;
  const Report report = evaluator.score(request_of({"me:k=3", "me", "fid"}));
  const Json results = Json::parse(report.json())["results"];
  std::vector<std::string> metrics, requests;
  for (std::size_t i = 0; i < 3; ++i) {
    metrics.push_back(results[i]["metric"]);
    requests.push_back(results[i]["request"]);
  }
  EXPECT_EQ(metrics, (std::vector<std::string>{"me", "me", "fid"}));
  EXPECT_EQ(requests, (std::vector<std::string>{"me:k=3", "me", "fid"}));
  EXPECT_NE(report.tsv().find("good\tme:k=3\tpetersen\t"), std::string::npos);
  EXPECT_NE(report.tsv().find("good\tme\tpetersen\t"), std::string::npos);
  // A variant is named by its request even where it is alone: two files of numbers may be put together.
  const Report alone = evaluator.score(request_of({"me:k=3"}));
  EXPECT_NE(alone.tsv().find("good\tme:k=3\tpetersen\t"), std::string::npos);
}

TEST(Report, ExplanationsTellVariantsApart) {
  Evaluator evaluator;
  ScoreRequest request = request_of({"me:k=3", "me"});
  request.explain = true;
  const Json found = Json::parse(evaluator.score(request).explanation_json())["explanations"];
  EXPECT_EQ(found[0]["metric"], "me");
  EXPECT_EQ(found[0]["request"], "me:k=3");
  EXPECT_EQ(found[1]["request"], "me");
}

TEST(ComparisonReport, LooksUpTheWholeRequest) {
  Evaluator evaluator;
  const ComparisonReport report =
      evaluator.compare(texts_of({"bleu:max_order=1", "bleu"}), {.resamples = 50});
  const Json results = Json::parse(report.json())["results"];
  EXPECT_EQ(results[0]["metric"], "bleu");
  EXPECT_EQ(results[0]["request"], "bleu:max_order=1");
  EXPECT_EQ(report.p_value("careful", "bleu", "bleu"), results[1]["systems"][1]["p_value"].get<double>());
  EXPECT_EQ(report.p_value("careful", "bleu:max_order=1", "bleu"),
            results[0]["systems"][1]["p_value"].get<double>());
  const ComparisonReport variants =
      evaluator.compare(texts_of({"bleu:max_order=1", "bleu:max_order=2"}), {.resamples = 50});
  EXPECT_ERROR((void)variants.rank("careful", "bleu", "bleu"), ErrorCode::usage,
               "metric 'bleu' was asked for as bleu:max_order=1 and as bleu:max_order=2");
  EXPECT_ERROR((void)report.rank("nobody", "bleu", "bleu"), ErrorCode::usage,
               "no system 'nobody' (systems: hasty, careful)");
}

TEST(Evaluator, OneResampleIsNoInterval) {
  Evaluator evaluator;
  ScoreRequest request = texts_of({"bleu"});
  request.resamples = 1;
  EXPECT_ERROR((void)evaluator.score(request), ErrorCode::usage, "resamples 1, expected at least 2");
  request.resamples = 0;
  EXPECT_ERROR((void)evaluator.compare(request, {.resamples = 1}), ErrorCode::usage,
               "resamples 1, expected at least 2");
}

}  // namespace
}  // namespace markeval
