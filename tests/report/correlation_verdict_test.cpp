// What is said of metrics beside people, from coefficients, intervals and tests made up here.
#include "report/correlation_verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/cells.hpp"
#include "report/html_correlation.hpp"

namespace markeval::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A metric with its pearson, an interval of 0.1 to each side, and p of the test of it beside "best".
struct Column {
  std::string name;
  double value;
  double p = 0.001;
};

CorrelationRun run_of(const std::vector<Column>& columns) {
  CorrelationRun run;
  run.gold = "human";
  run.coefficients = {"pearson"};
  run.tests = CorrelationTests{"perm-both", "pearson", "holm", {}, {}};
  run.from_table = columns.size();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto& [name, value, p] = columns[i];
    run.predicted.push_back(name);
    auto& row = run.rows.emplace_back(meta::CorrelationRow{name, meta::kAllRows, 50, 0, {value}, {}, {}});
    row.intervals = {Interval{value - 0.1, value + 0.1}};
    if (i == 0) continue;
    meta::MetricDifference difference;
    difference.second = i;
    difference.difference = columns[0].value - value;
    difference.p_value = difference.p_adjusted = p;
    run.tests->differences.push_back(difference);
  }
  return run;
}

TEST(CorrelationVerdict, NamesTheTiesAndWhatIsWorse) {
  const CorrelationRun run =
      run_of({{"a", 0.5}, {"b", 0.45, 0.3}, {"c", 0.44, 0.3}, {"d", 0.43, 0.2}, {"e", 0.4, 0.1}, {"f", 0.2}});
  EXPECT_EQ(
      verdict_of(run),
      "Highest with human: a (pearson 0.50, 95 % between 0.40 and 0.60). No difference found to b, c, d "
      "and e. Worse: f (perm-both test, p at most 0.05 after Holm's correction).");
}

TEST(CorrelationVerdict, CountsMoreThanFourNames) {
  const CorrelationRun run = run_of(
      {{"a", 0.5}, {"b", 0.4, 0.3}, {"c", 0.4, 0.3}, {"d", 0.4, 0.2}, {"e", 0.4, 0.1}, {"f", 0.4, 0.1}});
  EXPECT_EQ(verdict_of(run),
            "No metric is clearly best for human. Highest: a (pearson 0.50, 95 % between 0.40 and 0.60). No "
            "difference found to 5 other metrics (perm-both test, p above 0.05 after Holm's correction).");
}

TEST(CorrelationVerdict, IsBestWhereTheTestSeparatesItFromAll) {
  CorrelationRun run = run_of({{"a", 0.5}, {"b", 0.3}, {"noise", 0.05}});
  run.tests->correction = "none";
  EXPECT_EQ(
      verdict_of(run),
      "a agrees best with human (pearson 0.50, 95 % between 0.40 and 0.60). Worse: b and noise (perm-both "
      "test, p at most 0.05). noise shows no agreement.");
  EXPECT_EQ(verdict_parts(run).best, 0u);
}

TEST(CorrelationVerdict, SaysWhichColumnLeadsOnceItIsTurned) {
  const CorrelationRun run = run_of({{"mine", 0.47}, {"perplexity", -0.88}, {"b", 0.3}});
  const std::string verdict = verdict_of(run);
  EXPECT_THAT(verdict,
              HasSubstr("perplexity orders the texts the other way round (pearson -0.88). If lower is "
                        "better there, add --lower-is-better perplexity; its agreement would then be "
                        "the highest. Highest of the others: mine (pearson 0.47"));
  EXPECT_THAT(verdict, HasSubstr("Worse: b (perm-both"));
  EXPECT_THAT(verdict, Not(HasSubstr("best")));
  EXPECT_THAT(verdict, Not(HasSubstr("no agreement")));
  EXPECT_EQ(verdict_parts(run).best, std::nullopt);
}

TEST(CorrelationVerdict, KeepsTheBestOneWhereATurnedColumnWouldNotLead) {
  const std::string verdict = verdict_of(run_of({{"mine", 0.47}, {"my ppl", -0.3}, {"b", 0.2}}));
  EXPECT_THAT(verdict, HasSubstr("mine agrees best with human"));
  EXPECT_THAT(verdict,
              HasSubstr("my ppl orders the texts the other way round (pearson -0.30). If lower is better "
                        "there, add --lower-is-better 'my ppl'."));
}

TEST(CorrelationVerdict, OfAMetricItKnowsGivesNoAdvice) {
  CorrelationRun run = run_of({{"mine", 0.2}, {"chrf", -0.3}});
  run.from_table = 1;
  EXPECT_THAT(verdict_of(run),
              HasSubstr("chrf orders the texts the other way round (pearson -0.30). Highest of"));
}

TEST(CorrelationVerdict, DoubtsAnOptionThatTurnsAMetricAway) {
  CorrelationRun run = run_of({{"mine", 0.2}, {"ppl", 0.5}});
  run.lower_is_better = {"ppl"};
  EXPECT_THAT(verdict_of(run), HasSubstr("If higher is better there, leave --lower-is-better ppl out."));
}

TEST(CorrelationVerdict, DoubtsTheHumanScoresWhereAllMetricsRunAgainstThem) {
  EXPECT_EQ(
      verdict_of(run_of({{"a", -0.5}, {"b", -0.7}})),
      "All metrics order the texts the other way round (pearson -0.70 to -0.50). If lower numbers of human "
      "are better, turn their sign. If lower is better there, add --lower-is-better a b; the agreement of b "
      "would then be the highest.");
}

TEST(CorrelationVerdict, HasNoAgreementOnlyWhereTheIntervalHoldsNothing) {
  EXPECT_THAT(verdict_of(run_of({{"a", 0.05}, {"b", 0.02}})),
              HasSubstr("No metric shows agreement with human."));
  EXPECT_THAT(verdict_of(run_of({{"a", -0.05}})), HasSubstr("a does not show agreement with human (pearson"));
  EXPECT_THAT(verdict_of(run_of({{"a", -0.5}})),
              HasSubstr("a orders the texts the other way round (pearson -0.50"));
}

TEST(CorrelationVerdict, TitleOfSeveralJudgementsCountsThoseWithoutABest) {
  const CorrelationRun clear = run_of({{"a", 0.5}, {"b", 0.3}}),
                       unclear = run_of({{"a", 0.5}, {"b", 0.4, 0.3}});
  EXPECT_EQ(title_of_all(std::vector{&clear, &unclear, &unclear}),
            "No metric clearly best for 2 of 3 judgements");
  EXPECT_EQ(title_of_all(std::vector{&clear, &clear}), "a agrees best with both judgements");
  const CorrelationRun other = run_of({{"a", 0.3}, {"b", 0.5}});
  EXPECT_EQ(title_of_all(std::vector{&clear, &other}), "No metric is best for both judgements");
  const CorrelationRun turned = run_of({{"a", 0.3}, {"b", -0.5}});
  EXPECT_EQ(title_of_all(std::vector{&clear, &turned}), "b orders the texts the other way round");
  const CorrelationRun one = run_of({{"a", 0.3}});
  EXPECT_EQ(title_of_all(std::vector{&one, &one}), "a shows agreement with both judgements");
}

TEST(CorrelationVerdict, StandsOnThePage) {
  CorrelationPage page;
  page.parts.push_back({run_of({{"a", 0.5}, {"b", 0.4, 0.3}}), {}});
  EXPECT_THAT(correlation_page(page),
              HasSubstr("<h1>No metric is clearly best for human</h1>\n<p class=\"lead\">Highest"));
  page.parts.push_back(page.parts.front());
  EXPECT_THAT(correlation_page(page), HasSubstr("<h1>No metric clearly best for any of 2 judgements</h1>"));
  EXPECT_THAT(correlation_page(page), HasSubstr("<h2>Overview</h2>"));
  EXPECT_THAT(correlation_page(page), Not(HasSubstr("Scatter</h2>"))) << "folded below its judgement";
}

TEST(Wrapped, BreaksAtBlanksAlone) {
  EXPECT_EQ(wrapped("one two three", 7), "one two\nthree");
  EXPECT_EQ(wrapped("a verylongword b", 5), "a verylongword\nb");
  EXPECT_EQ(wrapped("\u00e9\u00e9\u00e9 b", 5), "\u00e9\u00e9\u00e9 b") << "characters, not bytes";
  EXPECT_EQ(wrapped("one two", 0), "one two");
}

}  // namespace
}  // namespace markeval::report
