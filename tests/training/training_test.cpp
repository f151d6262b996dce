#include "api/training.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "api/correlate.hpp"
#include "api/markeval.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_model.hpp"

namespace markeval {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// Ten pairs whose words have several pieces: the vocabulary holds letters.
class Training : public ::testing::Test {
 protected:
  Training() {
    const auto table = [](const std::string& word) {
      std::string rows = "ref\thyp\tscore\n";
      for (char letter = 'a'; letter < 'k'; ++letter)
        rows += word + " " + letter + "b\tcar " + letter + "\t" + std::to_string(letter % 7) + "\n";
      return rows;
    };
    request_.architecture = "esim";
    request_.train = {folder_.write("judged.tsv", table("cat"))};
    request_.valid = {folder_.write("held_out.tsv", table("dog"))};
    request_.reference = "ref";
    request_.hypothesis = "hyp";
    request_.gold = "score";
    request_.folder = folder_.file("mine");
    request_.encoder.model = write_tiny_model(folder_);
    request_.encoder.cache = "none";
    request_.hidden = 4;
    request_.epochs = 1;
  }
  nlohmann::json config(const std::string& folder) {
    std::ifstream in(folder + "/config.json");
    return nlohmann::json::parse(in);
  }
  Result score(const std::string& weights) {
    ScoreRequest request;
    const std::vector<std::string> references{"cat", "dog sat"}, system{"car", "dog sits"};
    request.references = {{"", Texts{references}}};
    request.systems = {{"", Texts{system}}};
    request.metrics = {"esim:weights=" + weights};
    request.encoder.model = request_.encoder.model;
    return Evaluator().score(request).results().front();
  }

  TempFolder folder_;
  TrainRequest request_;
};

TEST_F(Training, RefusesToValidateWithWhatItLearnsFrom) {
  request_.valid = request_.train;
  EXPECT_ERROR(
      train(request_, {}), ErrorCode::invalid_input,
      "10 of 10 pairs to validate with are in the training data too, the first is 'car a': leave them "
      "out of one of the two");
}

TEST_F(Training, HoldsATenthOutAndTellsTheJudgesScale) {
  std::string rows = "ref\thyp\tscore\n";
  for (int i = 0; i < 120; ++i)
    rows += "cat " + std::to_string(i) + "\t" + (i % 2 == 0 ? "cat " : "dog ") + std::to_string(i) + "\t" +
            std::to_string(1 + i % 2 * 4) + "\n";
  request_.architecture = "match";
  request_.train = {folder_.write("many.tsv", rows)};
  request_.valid.clear();
  request_.heads = 2;
  request_.width = 4;
  request_.batch = 8;
  const TrainReport report = train(request_, {});
  EXPECT_TRUE(report.held_out);
  EXPECT_EQ(report.valid_pairs, 12u);
  EXPECT_EQ(report.train_pairs, 108u);
  ASSERT_TRUE(report.human_scale.has_value());
  EXPECT_EQ(report.human_scale->low, 1);
  EXPECT_EQ(report.human_scale->high, 5);
  EXPECT_EQ(config(request_.folder)["human_scale"]["slope"], report.human_scale->slope);
  EXPECT_EQ(config(request_.folder)["human_scale"]["error"], report.human_scale->error);
  EXPECT_GE(report.human_scale->error, 0);
  EXPECT_LE(report.human_scale->error, 4) << "the line is cut to the judges' range";
  EXPECT_NE(report.text().find("The judges gave 1 to 5"), std::string::npos) << report.text();
  EXPECT_FALSE(report.known.empty()) << "compared with metrics that need no training";
  request_.valid = {"none"};
  request_.folder = folder_.file("all");
  const TrainReport all = train(request_, {});
  EXPECT_EQ(all.valid_pairs, 0u);
  EXPECT_EQ(all.train_pairs, 120u);
  EXPECT_NE(all.text().find("kept"), std::string::npos) << "nothing was validated, so no epoch is best";
}

TEST_F(Training, MatchNeedsNoValidationTableAndScores) {
  request_.architecture = "match";
  request_.valid.clear();
  request_.hidden = 0;
  request_.heads = 2;
  request_.width = 4;
  request_.batch = 5;
  const TrainReport report = train(request_, {});
  EXPECT_EQ(report.best_epoch, 1u);
  EXPECT_EQ(report.epochs.front().pearson, -1);
  ScoreRequest request;
  const std::vector<std::string> references{"cat", "dog sat", "cat"}, system{"cat", "dog sits", ""};
  request.references = {{"", Texts{references}}};
  request.systems = {{"", Texts{system}}};
  request.metrics = {"match:weights=" + request_.folder};
  request.encoder.model = request_.encoder.model;
  request.segments = true;
  const Result result = Evaluator().score(request).results().front();
  EXPECT_NEAR(result.segments.front().second[0], 1, 1e-5);
  EXPECT_LT(result.segments.front().second[1], 1);
  EXPECT_EQ(result.segments.front().second[2], 0);
  EXPECT_NE(result.signature().find("match|head:"), std::string::npos) << result.signature();
}

TEST_F(Training, EndsWithWhatOneHasWithoutIt) {
  const TrainReport report = train(request_, {});
  ASSERT_EQ(report.known.size(), 2u);
  EXPECT_EQ(report.known[0].metric, "chrf");
  EXPECT_EQ(report.known[1].metric, "bertscore");
  const std::string text = report.text();
  EXPECT_NE(text.find("10 validation pairs  pearson"), std::string::npos) << text;
  EXPECT_TRUE(report.interval.has_value());
  const TrainReport::Known& other = report.known[1];
  ASSERT_TRUE(other.interval && other.p_value);
  EXPECT_LE(other.interval->low, other.pearson);
  EXPECT_GE(other.interval->high, other.pearson);
  EXPECT_EQ(nlohmann::json::parse(report.json())["known"].size(), 2u);
  EXPECT_EQ(nlohmann::json::parse(report.json())["ci"].size(), 2u);
}

/// A finished training, with what it says of itself.
class TrainingText : public ::testing::Test {
 protected:
  TrainingText() {
    report_.architecture = "match";
    report_.folder = "mine";
    report_.train_pairs = 400;
    report_.valid_pairs = 50;
    report_.epochs = {{0.5, 0.5, 0.1}};
    report_.best_epoch = 1;
    report_.interval = Interval{0.3, 0.7};
  }
  void known(std::vector<TrainReport::Known> known) { report_.known = std::move(known); }
  void scale(double pearson) { report_.human_scale = TrainReport::HumanScale{2.6, 3.5, 1, 5, 0.92, pearson}; }
  void expect(const std::string& words) {
    EXPECT_NE(report_.text().find(words), std::string::npos) << report_.text();
  }
  void expect_no(const std::string& words) {
    EXPECT_EQ(report_.text().find(words), std::string::npos) << report_.text();
  }
  TrainReport report_;
};

TEST_F(TrainingText, CallsAMetricBetterOnlyWhereTheTestDoes) {
  known({{"chrf", 0.4, Interval{0.2, 0.6}, 0.3}, {"match", 0.6, Interval{0.4, 0.8}, 0.4}});
  expect(
      "50 validation pairs  pearson          95 %\n"
      "trained here          0.5000  0.30 to 0.70\n"
      "chrf                  0.4000  0.20 to 0.60\n"
      "the program's match   0.6000  0.40 to 0.80\n"
      "On these pairs no test separates trained here from chrf and the program's match (perm-both), which "
      "need no "
      "training\n");
  known({{"chrf", 0.4, Interval{0.2, 0.6}, 0.01}, {"match", 0.6, Interval{0.4, 0.8}, 0.02}});
  expect("the program's match agrees better with these judges (p 0.020) and needs no training");
  known({{"chrf", 0.4, Interval{0.2, 0.6}, 0.01}, {"match", 0.3, Interval{0.1, 0.5}, 0.02}});
  expect("Trained here agrees better with these judges than all others");
  known({{"chrf", -1, {}, {}}});
  expect_no("agrees better");
  expect("\nscore with it: markeval score -r REFERENCE -s SYSTEM -m match:weights=mine\n");
}

TEST_F(TrainingText, AsksWhetherLowerIsBetterWhereAllOthersDisagree) {
  scale(0.5);
  known({{"chrf", -0.46, Interval{-0.6, -0.3}, 0.01}, {"match", -0.48, Interval{-0.6, -0.3}, 0.01}});
  EXPECT_TRUE(report_.looks_reversed());
  expect(
      "All other metrics disagree with these scores (chrf -0.46): is a higher score better?\n"
      "If lower is better, turn the column first");
  for (const char* words : {"score with it", "agrees better", "on their scale"}) expect_no(words);
  known({{"chrf", -0.46, Interval{-0.6, -0.3}, 0.01}, {"match", -0.08, Interval{-0.2, 0.1}, 0.01}});
  EXPECT_FALSE(report_.looks_reversed()) << "one of them may agree";
}

TEST_F(TrainingText, KeepsTheJudgesScaleInTheirRange) {
  scale(0.5);
  expect(
      "The judges gave 1 to 5; on their scale a score is about 2.6 + 3.5 * score,\n"
      "at least 1 and at most 5, within 0.92 on average\n");
  scale(0.17);
  expect("The judges gave 1 to 5; scores agree too little (r 0.17) to be put on that scale\n");
  expect_no("* score");
  scale(0.9);
  report_.valid_pairs = 0;
  expect_no("* score");
}

TEST_F(TrainingText, WarnsOfFewPairs) {
  expect_no("are few");
  report_.train_pairs = 299;
  expect("299 pairs are few: below about 300, bertscore or the program's match is the safer choice\n");
}

TEST_F(Training, IsToldWhereItIsJudgedOnItsOwnTable) {
  train(request_, {});
  const std::string metric = "esim:weights=" + request_.folder, table = request_.train.front();
  CorrelateRequest asked{.table = table,
                         .gold = {"score"},
                         .reference = "ref",
                         .hypothesis = "hyp",
                         .metrics = {"mine=" + metric, "chrf"}};
  asked.encoder = request_.encoder;
  const std::string warning =
      "mine learned from these texts; its agreement there says nothing about new ones";
  const CorrelationReport judged = correlate(asked, {});
  EXPECT_THAT(judged.warnings(), Contains(warning));
  EXPECT_THAT(judged.text(), HasSubstr("Left out: mine, learned from these texts."));
  asked.table = folder_.file("part.tsv");
  {
    std::ifstream whole(table);
    std::ofstream part(asked.table);
    std::string line;
    for (int lines = 0; lines < 8 && std::getline(whole, line); ++lines) part << line << "\n";
  }
  EXPECT_THAT(correlate(asked, {}).warnings(), Contains(warning)) << "some of its rows in another file";
  asked.table = request_.valid.front();
  EXPECT_THAT(correlate(asked, {}).warnings(), Not(Contains(HasSubstr("learned from"))));
}

TEST_F(Training, HonoursTheDevice) {
  EXPECT_ERROR(train(request_, {.device = "cuda"}), ErrorCode::io,
               "this build computes on the CPU only, device cuda is not available");
  EXPECT_ERROR(train(request_, {.device = "cpuu"}), ErrorCode::usage,
               "unknown device 'cpuu'; did you mean 'cpu'?");
  EXPECT_FALSE(std::filesystem::exists(request_.folder));
}

TEST_F(Training, WritesDownTheTokensOfATextItReads) {
  train(request_, {});
  EXPECT_EQ(config(request_.folder)["encoder"]["max_length"], 40) << "as many as the model has positions";
  request_.folder = folder_.file("short");
  request_.encoder.max_length = 7;
  train(request_, {});
  EXPECT_EQ(config(request_.folder)["encoder"]["max_length"], 7);
}

TEST_F(Training, ReadsEveryPieceUnlessTheFirstIsAskedFor) {
  train(request_, {});
  const std::string all = request_.folder, first = folder_.file("first");
  request_.folder = first;
  request_.pieces = "first";
  train(request_, {});
  EXPECT_EQ(config(all)["pieces"], "all");
  EXPECT_EQ(config(first)["pieces"], "first");
  EXPECT_NE(config(all)["weights_sha256"], config(first)["weights_sha256"]);
  EXPECT_NE(score(all).signature().find("|pieces:all|"), std::string::npos) << score(all).signature();
  EXPECT_NE(score(first).signature().find("|pieces:first|"), std::string::npos) << score(first).signature();
  request_.pieces = "last";
  request_.folder = folder_.file("other");
  EXPECT_ERROR(train(request_, {}), ErrorCode::usage, "unknown pieces 'last', expected all or first");
}

// "cat" and "car" begin alike: whoever reads first pieces cannot tell them apart.
TEST_F(Training, FoldersOfVersion010AreReadByFirstPieces) {
  request_.pieces = "first";
  train(request_, {});
  const double as_trained = score(request_.folder).scores.front().second;
  nlohmann::json silent = config(request_.folder);
  silent.erase("pieces");
  std::ofstream(request_.folder + "/config.json") << silent;
  const Result found = score(request_.folder);
  EXPECT_EQ(found.scores.front().second, as_trained);
  EXPECT_NE(found.signature().find("|pieces:first|"), std::string::npos) << found.signature();
  silent["pieces"] = "all";
  std::ofstream(request_.folder + "/config.json") << silent;
  EXPECT_NE(score(request_.folder).scores.front().second, as_trained) << "the other pieces count";
}

TEST_F(Training, StartsOnlyFromAModelThatReadsTheSamePieces) {
  train(request_, {});
  request_.from = request_.folder;
  request_.folder = folder_.file("next");
  request_.pieces = "first";
  EXPECT_ERROR(train(request_, {}), ErrorCode::invalid_input,
               "mine: cannot start from it: its pieces are all, expected first");
}

TEST_F(Training, TellsTheCachedVectorsOfBothReadingsApart) {
  request_.encoder.cache = folder_.file("cache");
  train(request_, {});
  request_.folder = folder_.file("first");
  request_.pieces = "first";
  train(request_, {});
  request_.folder = folder_.file("uncached");
  request_.encoder.cache = "none";
  train(request_, {});
  EXPECT_EQ(config(folder_.file("first"))["weights_sha256"],
            config(folder_.file("uncached"))["weights_sha256"]);
}

}  // namespace
}  // namespace markeval
