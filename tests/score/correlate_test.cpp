#include "api/correlate.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/markeval.hpp"
#include "support/temp_folder.hpp"

namespace markeval {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kTable =
    "lp\tsystem\thuman\ta\tb\n"
    "de\tx\t1\t0.1\t0.4\nde\tx\t2\t0.3\t0.1\nde\ty\t3\t0.2\t0.2\nde\ty\t4\t0.4\t0.3\n"
    "fi\tx\t5\t0.5\t0.5\nfi\tx\t6\t0.1\t0.5\nfi\ty\t9\t0.9\t0.5\n";

class Correlate : public ::testing::Test {
 protected:
  TempFolder folder_;
  CorrelateRequest request_{
      .table = folder_.write("t.tsv", kTable), .gold = {"human"}, .predicted = {"a", "b"}, .group = "lp"};
};

TEST_F(Correlate, GivesValuesByNameAndAbsentOnesWhereNotDefined) {
  const CorrelationReport report = correlate(request_, {});
  EXPECT_NEAR(*report.value("a", "de", "pearson"), 0.8, 1e-12);
  EXPECT_NEAR(*report.value("a", "mean", "spearman"), (0.8 + 0.5) / 2, 1e-12);
  EXPECT_EQ(report.value("b", "fi", "kendall"), std::nullopt);
  EXPECT_THAT(report.warnings(),
              ElementsAre("b gives all rows of a group the same score in 1 of 2 groups; it "
                          "is left out of the means"));
  EXPECT_ERROR(report.value("c", "de", "pearson"), ErrorCode::usage, "no pearson of 'c' in group 'de'");
}

TEST_F(Correlate, SaysWhichMetricAgreesBestAndWhatATestSays) {
  request_.group.clear();
  request_.coefficients = {"pearson"};
  EXPECT_THAT(correlate(request_, {}).verdicts()[0], HasSubstr("No metric shows agreement with human"))
      << "the interval holds 0";
  request_.intervals = 0;
  const CorrelationReport report = correlate(request_, {});
  ASSERT_EQ(report.verdicts().size(), 1u);
  EXPECT_THAT(report.verdicts()[0],
              HasSubstr("No metric is clearly best for human. Highest: a (pearson 0.74)."));
  EXPECT_THAT(report.verdicts()[0],
              HasSubstr("No difference found to b (perm-both test, p above 0.05 after"));
  EXPECT_THAT(report.verdicts()[0], HasSubstr("Only 7 values"));
  EXPECT_THAT(report.json(), HasSubstr("\"verdicts\""));
  request_.lower_is_better = {"a"};
  EXPECT_THAT(
      correlate(request_, {}).verdicts()[0],
      HasSubstr("a orders the texts the other way round (pearson 0.74). If higher is better there, leave "
                "--lower-is-better a out. Highest of the others: b (pearson 0.65)."));
  request_.test = "none";
  EXPECT_THAT(correlate(request_, {}).verdicts()[0], HasSubstr("Highest of the others: b (pearson 0.65)"));
}

constexpr const char* kJudged =
    "doc\tx\ty\ta\tb\n"
    "1\t1\t1\t3\t1\n1\t1\t2\t1\t1\n1\t1\t3\t2\t1\n"
    "2\t1\t3\t3\t3\n2\t2\t2\t2\t2\n2\t3\t1\t1\t1\n";

TEST_F(Correlate, TellsEachCauseOfMissingValuesOnce) {
  CorrelateRequest request{
      .table = folder_.write("d.tsv", kJudged), .gold = {"x", "y"}, .predicted = {"a", "b"}, .group = "doc"};
  EXPECT_THAT(
      correlate(request, {}).warnings(),
      ElementsAre(
          "x: in 1 of 2 groups all rows have the same human score; it is left out of the means",
          "b gives all rows of a group the same score in 1 of 2 groups; it is left out of the means"));
  request.group.clear();
  request.table = folder_.write("e.tsv", "x\ty\ta\tb\n1\t1\t3\t1\n1\t2\t1\t1\n1\t4\t2\t1\n");
  EXPECT_THAT(
      correlate(request, {}).warnings(),
      ElementsAre("x: all rows have the same human score; pearson, spearman and kendall are not defined",
                  "b gives all rows the same score; pearson, spearman and kendall are not defined"));
}

TEST_F(Correlate, SaysWhatIntervalsOfAMeanAreDrawnFrom) {
  std::string rows = "doc\thuman\ta\n";
  for (int row = 0; row < 40; ++row) rows += fmt::format("d{}\t{}\t{}\n", row / 4, row % 4, row * 7 % 5);
  CorrelateRequest request{
      .table = folder_.write("f.tsv", rows), .gold = {"human"}, .predicted = {"a"}, .group = "doc"};
  EXPECT_THAT(correlate(request, {}).json(), HasSubstr("|drawn:groups|bs:1000|"));
  EXPECT_THAT(correlate(request, {}).json(), HasSubstr("\"drawn\": \"groups\""));
  EXPECT_THAT(correlate(request, {}).text(), HasSubstr("intervals come from drawing whole groups"));
  EXPECT_THAT(correlate(request_, {}).json(), HasSubstr("\"drawn\": \"rows\"")) << "two groups are too few";
  request.intervals = 0;
  EXPECT_EQ(correlate(request, {}).json().find("drawn"), std::string::npos);
}

TEST_F(Correlate, SeveralJudgementsAreOneTableOfMetricsAndJudgements) {
  request_.gold = {"human", "a"};
  request_.predicted = {"b"};
  request_.group.clear();
  const CorrelationReport report = correlate(request_, {});
  EXPECT_EQ(report.verdicts().size(), 2u);
  EXPECT_NE(report.value("b", "all", "pearson"), report.value("b", "all", "pearson", "a"));
  EXPECT_EQ(report.value("b", "all", "pearson"), report.value("b", "all", "pearson", "human"));
  EXPECT_THAT(report.text(), HasSubstr("pearson with"));
  EXPECT_THAT(report.json(), HasSubstr("\"gold\": \"a\""));
  EXPECT_THAT(report.tsv(), HasSubstr("a\tb\tall\t7\tpearson"));
  request_.gold = {"human", "human"};
  EXPECT_ERROR(correlate(request_, {}), ErrorCode::usage, "column 'human' is asked for twice");
}

TEST_F(Correlate, TakesTheMainResultOfAMetricUnlessAskedForAll) {
  CorrelateRequest request{.table = folder_.write("j.tsv",
                                                  "human\tref\thyp\n1\ta b c\ta b\n2\tc d e\tc d e\n"
                                                  "3\te f g\te f h\n"),
                           .gold = {"human"},
                           .reference = "ref",
                           .hypothesis = "hyp",
                           .metrics = {"chrf", "rouge1"}};
  EXPECT_EQ(correlate(request, {}).tsv().find("rouge1.recall"), std::string::npos);
  EXPECT_TRUE(correlate(request, {}).value("chrf", "all", "pearson").has_value());
  request.all_results = true;
  EXPECT_TRUE(correlate(request, {}).value("rouge1.recall", "all", "pearson").has_value());
  EXPECT_TRUE(correlate(request, {}).value("chrf", "all", "pearson").has_value());
}

TEST_F(Correlate, NeverWritesNaN) {
  request_.test = "bootstrap";
  request_.resamples = 50;
  const CorrelationReport report = correlate(request_, {});
  for (const std::string& written : {report.text(), report.json(), report.tsv()}) {
    EXPECT_EQ(written.find("nan"), std::string::npos);
    EXPECT_EQ(written.find("inf"), std::string::npos);
  }
  EXPECT_THAT(report.json(), HasSubstr("\"kendall\": null"));
}

TEST_F(Correlate, AveragesSystemsFirstOnRequest) {
  request_.system = "system";
  request_.level = "system";
  request_.group.clear();
  request_.coefficients = {"pearson"};
  const CorrelationReport report = correlate(request_, {});
  EXPECT_EQ(*report.value("a", "all", "pearson"), 1);
  EXPECT_THAT(report.tsv(), HasSubstr("a\tall\t2\tpearson"));
}

constexpr const char* kScores =
    "lp\tsystem\tsegment\ta\tb\n"
    "de\tx\t1\t3\t1\nde\ty\t1\t1\t2\nde\tz\t1\t1\t3\nde\tx\t2\t5\t5\nde\ty\t2\t4\t4\nde\tz\t2\t9\t9\n";

TEST_F(Correlate, TakesBetterWorsePairsOfSystemsFromAFile) {
  CorrelateRequest request{
      .table = folder_.write("s.tsv", kScores),
      .predicted = {"a", "b"},
      .pairs = folder_.write("p.tsv", "segment\tbetter\tworse\n1\tx\ty\n1\ty\tz\n2\tx\ty\n"),
      .system = "system",
      .segment = "segment",
      .test = "bootstrap",
      .resamples = 100,
      .intervals = 100};
  const CorrelationReport report = correlate(request, {});
  EXPECT_DOUBLE_EQ(*report.value("a", "all", "kendall-like"), 1.0 / 3) << "3 > 1, a tie, 5 > 4";
  EXPECT_DOUBLE_EQ(*report.value("b", "all", "kendall-like"), -1.0 / 3) << "1 < 2, 2 < 3, 5 > 4";
  EXPECT_THAT(report.json(),
              HasSubstr("correlate|gold:pairs|level:segment|group:none|coefficients:kendall-like|"
                        "drawn:segment|bs:100|test:bootstrap|"));
  folder_.write("p.tsv", "segment\tbetter\tworse\n1\tx\ty\n2\tx\tw\n");
  EXPECT_ERROR(correlate(request, {}), ErrorCode::invalid_input,
               "p.tsv: pair 2: " + request.table + " has no row of system 'w', segment '2'");
  folder_.write("s.tsv", std::string(kScores) + "de\tx\t1\t3\t1\n");
  EXPECT_ERROR(correlate(request, {}), ErrorCode::invalid_input, "two rows are segment '1' of system 'x'");
}

TEST_F(Correlate, ScoresTheTwoTextsOfAPair) {
  CorrelateRequest request{
      .table = folder_.write("d.jsonl",
                             R"({"lp": "kk", "src": 1, "ref": "a b c d", "good": "a b c d", "bad": "a b x y"}
{"lp": "kk", "src": 1, "ref": "a b c d", "good": "x y", "bad": "a b c"}
{"lp": "gu", "src": 2, "ref": "e f", "good": "e f", "bad": "q"}
)"),
      .reference = "ref",
      .metrics = {"chrf", "ter"},
      .better = "good",
      .worse = "bad",
      .group = "lp",
      .segment = "src"};
  const CorrelationReport report = correlate(request, {});
  EXPECT_EQ(*report.value("chrf", "kk", "kendall-like"), 0);
  EXPECT_EQ(*report.value("chrf", "gu", "kendall-like"), 1);
  EXPECT_DOUBLE_EQ(*report.value("chrf", "mean", "kendall-like"), 1.0 / 3);
  EXPECT_EQ(*report.value("ter", "gu", "kendall-like"), -1) << "the less the better";
}

TEST_F(Correlate, SaysWhatPairsDoNotGoWith) {
  const auto fails = [&](auto change, const char* message) {
    CorrelateRequest request{.table = request_.table,
                             .predicted = {"a"},
                             .pairs = "p.tsv",
                             .system = "system",
                             .segment = "segment"};
    change(request);
    EXPECT_ERROR(correlate(request, {}), ErrorCode::usage, message);
  };
  fails([](auto& r) { r.gold = {"human"}; }, "leave --gold out");
  fails([](auto& r) { r.coefficients = {"pearson"}; },
        "the coefficient of better/worse pairs is kendall-like");
  fails([](auto& r) { r.better = "b"; }, "not from both");
  fails([](auto& r) { r.system.clear(); }, "--pairs needs --system COLUMN and --segment COLUMN");
  fails([](auto& r) { r.test = "perm-both"; }, "the test for better/worse pairs is bootstrap");
  fails([](auto& r) { r.level = "system"; }, "leave --level out");
  const auto rows = [](CorrelateRequest& r) {
    r = {.table = r.table, .reference = "ref", .metrics = {"chrf"}, .better = "g", .worse = "b"};
  };
  fails([&](auto& r) { rows(r), r.worse = ""; }, "expected both --better COLUMN and --worse COLUMN");
  fails([&](auto& r) { rows(r), r.worse = "g"; }, "are the same column");
  fails([&](auto& r) { rows(r), r.metrics.clear(); }, "need --ref COLUMN and -m METRIC");
  fails([&](auto& r) { rows(r), r.predicted = {"a"}; }, "go with --pairs FILE");
  fails([&](auto& r) { rows(r), r.intervals = 100; }, "--segment COLUMN names the one of each pair");
}

TEST_F(Correlate, SaysWhatIsWrongWithARequest) {
  const auto fails = [this](auto change, const char* message) {
    CorrelateRequest request = request_;
    change(request);
    EXPECT_ERROR(correlate(request, {}), ErrorCode::usage, message);
  };
  fails([](auto& r) { r.gold.clear(); }, "no column of human scores given");
  fails([](auto& r) { r.predicted.clear(); }, "neither a column of scores nor a metric");
  fails([](auto& r) { r.predicted = {"a", ""}; }, "no column ''");
  fails([](auto& r) { r.metrics = {"me"}; },
        "texts to score need a column of references and a column of hypotheses too");
  fails([](auto& r) { r.coefficients = {}; }, "no coefficient given");
  fails([](auto& r) { r.coefficients = {"pearson", "pearson"}; }, "coefficient 'pearson' is asked for twice");
  fails([](auto& r) { r.level = "sistem"; }, "unknown level 'sistem'; did you mean 'system'?");
  fails([](auto& r) { r.level = "system"; }, "level system needs the column of systems");
  fails([](auto& r) { r.correction = "hol"; }, "unknown correction 'hol'; did you mean 'holm'?");
  fails([](auto& r) { r.gold_threshold = -1; }, "the gold threshold must be 0 or more");
  fails([](auto& r) { r.table = "t.npy"; }, "t.npy: expected a table");
}

TEST_F(Correlate, LeavesSmallGroupsOutOnRequestAlone) {
  request_.min_rows = 4;
  const CorrelationReport report = correlate(request_, {});
  EXPECT_NEAR(*report.value("a", "mean", "pearson"), 0.8, 1e-12);
  EXPECT_ERROR(report.value("a", "fi", "pearson"), ErrorCode::usage, "no pearson of 'a' in group 'fi'");
  EXPECT_THAT(report.warnings()[0], HasSubstr("1 of 2 groups left out, fewer than 4 complete rows"));
  request_.min_rows = 9;
  EXPECT_ERROR(correlate(request_, {}), ErrorCode::invalid_input, "none of 2 groups has 9 complete rows");
}

TEST_F(Correlate, StopsOnRequest) {
  request_.test = "perm-both";
  const std::atomic<bool> cancel{true};
  EXPECT_ERROR(correlate(request_, {}, nullptr, &cancel), ErrorCode::cancelled, "stopped");
}

}  // namespace
}  // namespace markeval
