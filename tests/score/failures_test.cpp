// One metric that cannot be computed does not take the others with it.
#include <gmock/gmock.h>

#include <atomic>

#include "api/compare.hpp"
#include "api/markeval.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_model.hpp"

namespace markeval {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Failures : public ::testing::Test {
 protected:
  ScoreRequest request(std::vector<Metric> metrics) {
    ScoreRequest request;
    request.references = {{.name = "ref", .source = Texts{references_}}};
    request.systems = {{.name = "one", .source = Texts{first_}}, {.name = "two", .source = Texts{second_}}};
    request.metrics = std::move(metrics);
    request.encoder.model = model_;
    request.encoder.cache = "none";
    return request;
  }

  TempFolder folder_;
  std::string model_ = write_tiny_model(folder_);
  std::vector<std::string> references_{"the cat sat", "a dog ran", "the dog sat"};
  std::vector<std::string> first_{"the cat ran", "a dog sat", "the cat sat"};
  std::vector<std::string> second_{"the dog ran", "a dog ran", "the dog sat"};
  Evaluator evaluator_;
};

TEST_F(Failures, OfOneMetricLeaveTheOthers) {
  const Report report = evaluator_.score(request({"bleu", "me:k=9", "me"}));
  ASSERT_EQ(report.results().size(), 4U);
  EXPECT_EQ(report.results()[1].requested, "me");
  ASSERT_EQ(report.errors().size(), 1U);
  EXPECT_EQ(report.errors()[0].metric, "me");
  EXPECT_EQ(report.errors()[0].requested, "me:k=9");
  EXPECT_THAT(report.errors()[0].reason, HasSubstr("k = 9 needs more than 9 rows"));
  EXPECT_THAT(report.text(), HasSubstr("not computed: me:k=9: k = 9"));
  EXPECT_GT(report.score("one", "me"), 0);
  try {
    report.score("one", "me:k=9");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("me:k=9 could not be computed: k = 9"));
  }
}

TEST_F(Failures, OfTheModelLeaveWhatNeedsNone) {
  ScoreRequest asked = request({"bertscore", "chrf", "me"});
  asked.encoder.model = "no-such-model";
  const Report report = evaluator_.score(asked);
  EXPECT_EQ(report.results().size(), 2U);
  EXPECT_THAT(report.errors(), ElementsAre(::testing::Field(&FailedMetric::requested, "bertscore"),
                                           ::testing::Field(&FailedMetric::requested, "me")));
}

TEST_F(Failures, OfAllMetricsThrow) {
  EXPECT_THROW(evaluator_.score(request({"me:k=9", "prdc:k=9"})), Error);
  ScoreRequest asked = request({"bertscore"});
  asked.encoder.model = "no-such-model";
  try {
    evaluator_.score(asked);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
  }
}

TEST_F(Failures, WrongRequestsStopAll) {
  EXPECT_THROW(evaluator_.score(request({"bleu", "nope"})), Error);
  EXPECT_THROW(evaluator_.score(request({"bleu", "me:layers=99"})), Error);
}

TEST_F(Failures, AComparisonGoesOn) {
  const ComparisonReport report = evaluator_.compare(request({"me:k=2", "bleu"}), {});
  EXPECT_THAT(report.errors(),
              ElementsAre(::testing::Field(&FailedMetric::requested, "me:k=2")));  // halves are too small
  EXPECT_EQ(report.rank("one", "bleu", "bleu"), 1U);
}

/// Stops the run when the metrics without a model are done.
class StopsEarly : public Observer {
 public:
  explicit StopsEarly(std::atomic<bool>& cancel) : cancel_(cancel) {}
  void early_results(const std::vector<Result>& results) override {
    for (const Result& result : results) told.push_back(result.system + " " + result.requested);
    cancel_ = true;
  }
  std::vector<std::string> told;

 private:
  std::atomic<bool>& cancel_;
};

TEST_F(Failures, WhatIsDoneIsKeptWhenTheUserStops) {
  std::atomic<bool> cancel{false};
  StopsEarly observer(cancel);
  ScoreRequest asked = request({"bertscore", "bleu", "me"});
  asked.keep_finished = true;
  const ComparisonReport report = evaluator_.compare(asked, {}, &observer, &cancel);
  EXPECT_THAT(observer.told, ElementsAre("one bleu", "two bleu"));
  ASSERT_EQ(report.errors().size(), 2U);
  EXPECT_TRUE(report.errors()[0].cancelled);
  EXPECT_TRUE(report.errors()[1].cancelled);
  EXPECT_EQ(report.rank("two", "bleu", "bleu"), 1U);
}

TEST_F(Failures, NothingIsKeptUnlessAskedFor) {
  std::atomic<bool> cancel{false};
  StopsEarly observer(cancel);
  try {
    evaluator_.score(request({"bleu", "me"}), &observer, &cancel);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cancelled);
  }
}

TEST_F(Failures, NoneInAGoodRun) {
  EXPECT_THAT(evaluator_.score(request({"bleu", "me"})).errors(), IsEmpty());
}

}  // namespace
}  // namespace markeval
