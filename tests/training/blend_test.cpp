#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/markeval.hpp"
#include "api/training.hpp"
#include "support/temp_folder.hpp"

namespace markeval {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class Blend : public ::testing::Test {
 protected:
  Blend() {
    std::string rows = "ref\thyp\tscore\n", others = rows;
    for (int i = 0; i < 40; ++i) {
      const std::string word(static_cast<std::size_t>(1 + i % 5), static_cast<char>('a' + i % 7));
      rows += "the " + word + " sat down " + std::to_string(i) + "\tthe " + (i % 3 == 0 ? word : "cow") +
              " sat\t" + std::to_string(i % 3 == 0 ? 9 : i % 4) + "\n";
      others += "a " + word + " ran " + std::to_string(i) + "\ta " + (i % 2 == 0 ? word : "cow") + " ran\t" +
                std::to_string(i % 2 == 0 ? 8 : i % 3) + "\n";
    }
    request_.architecture = "blend";
    request_.metrics = {"chrf", "ter", "rouge1"};
    request_.train = {folder_.write("judged.tsv", rows)};
    request_.valid = {folder_.write("held_out.tsv", others)};
    request_.reference = "ref";
    request_.hypothesis = "hyp";
    request_.gold = "score";
    request_.folder = folder_.file("mine");
  }
  Report score(std::vector<Metric> metrics, std::uint64_t resamples = 0) {
    ScoreRequest request;
    request.references = {{"", Texts{references_}}};
    request.systems = {{"one", Texts{good_}}, {"two", Texts{bad_}}};
    request.metrics = std::move(metrics);
    request.segments = true;
    request.resamples = resamples;
    return Evaluator().score(request);
  }

  TempFolder folder_;
  TrainRequest request_;
  std::vector<std::string> references_{"the cat sat", "a dog ran"}, good_{"the cat sat", "a dog sits"},
      bad_{"no", "a cow"};
};

TEST_F(Blend, IsTheWeightedSumOfItsPartsSegmentBySegment) {
  const TrainReport trained = train(request_, {});
  ASSERT_EQ(trained.parts.size(), 3u);
  EXPECT_GT(trained.pearson, 0.5);
  const std::string blend = "blend:weights=" + request_.folder;
  const Report report = score({"ter", blend});
  ASSERT_EQ(report.results().size(), 4u) << "parts nobody asked for are not shown";
  EXPECT_EQ(report.results()[0].metric, "ter");
  EXPECT_EQ(report.results()[1].metric, "blend");
  const Result& first = report.results()[1];
  const auto& segments = first.segments.front().second;
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_DOUBLE_EQ(first.scores.front().second, (segments[0] + segments[1]) / 2);
  EXPECT_GT(first.scores.front().second, report.results()[3].scores.front().second);
  EXPECT_NE(first.signature().find("*chrf"), std::string::npos) << first.signature();
}

TEST_F(Blend, IsTheSameAloneAndBesideOthers) {
  train(request_, {});
  const std::string blend = "blend:weights=" + request_.folder;
  const Report alone = score({blend}), beside = score({"chrf", "bleu", blend});
  EXPECT_EQ(alone.results()[0].segments, beside.results()[2].segments);
  EXPECT_EQ(alone.results()[0].signature(), beside.results()[2].signature());
}

TEST_F(Blend, HasIntervals) {
  train(request_, {});
  const Report report = score({"blend:weights=" + request_.folder}, 50);
  ASSERT_EQ(report.results()[0].intervals.size(), 1u);
  EXPECT_LE(report.results()[0].intervals[0].second.low, report.results()[0].scores[0].second);
}

TEST_F(Blend, WarnsWhereABetterPartLowersTheScore) {
  request_.metrics = {"chrf"};
  EXPECT_THAT(train(request_, {}).warnings, Not(Contains(HasSubstr("lowers the score"))));
  std::string rows = "ref\thyp\tscore\n";
  for (int i = 0; i < 40; ++i)
    rows += "the cat sat " + std::to_string(i) + "\t" + (i % 2 == 0 ? "the cat " : "a dog ") +
            std::to_string(i) + "\t" + std::to_string(i % 2) + "\n";
  request_.train = {folder_.write("turned.tsv", rows)};
  request_.valid = {"none"};
  for (const char* metric : {"chrf", "ter"}) {
    request_.metrics = {metric};
    request_.folder = folder_.file(metric);
    EXPECT_THAT(train(request_, {}).warnings,
                Contains(HasSubstr(std::string("so a better ") + metric + " lowers the score")));
  }
}

TEST_F(Blend, RefusesWhatCannotBeBlended) {
  TrainRequest wrong = request_;
  wrong.metrics.clear();
  EXPECT_ERROR(train(wrong, {}), ErrorCode::usage, "a blend needs the metrics it is made of");
  wrong.metrics = {"me"};
  EXPECT_ERROR(train(wrong, {}), ErrorCode::usage,
               "me cannot be a part of a blend: it has no score for every segment");
  wrong.metrics = {"blend:weights=x"};
  EXPECT_ERROR(train(wrong, {}), ErrorCode::usage,
               "blend:weights=x cannot be a part of a blend: it is one itself");
  wrong = request_;
  wrong.metrics = {"chrf", "ter", "bleu", "rouge1", "rougeL"};
  EXPECT_ERROR(train(wrong, {}), ErrorCode::invalid_input,
               "40 pairs to learn from, expected at least 50 for 5 metrics");
  wrong = request_;
  wrong.architecture = "match";
  EXPECT_ERROR(train(wrong, {}), ErrorCode::usage, "metrics are for a blend");
  EXPECT_ERROR(score({"blend"}), ErrorCode::usage,
               "blend needs a folder made by markeval train --arch blend: blend:weights=FOLDER");
}

}  // namespace
}  // namespace markeval
