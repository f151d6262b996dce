// Tables for people: digits, order, marks and what stands beside people.
#include "report/score_tables.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "report/ceilings.hpp"
#include "report/comparisons.hpp"
#include "report/table_text.hpp"

namespace markeval::report {
namespace {

TEST(Decimals, AreThoseTheNarrowestIntervalSupports) {
  EXPECT_EQ(decimals_of({38.4996, 20}, {{37.9, 39.1}, {19, 21}}), 2u);
  EXPECT_EQ(decimals_of({38.4996}, {{28, 48}}), 1u);
  EXPECT_EQ(decimals_of({0.9995}, {{0.9993, 0.9997}}), 5u);
  EXPECT_EQ(decimals_of({1, 0.5}, {{1, 1}, {0.3, 0.7}}), 2u) << "an empty interval supports nothing";
}

TEST(Decimals, WithoutIntervalsGoByTheSizeOfTheNumbers) {
  EXPECT_EQ(decimals_of({38.4996, 2}, {}), 2u);
  EXPECT_EQ(decimals_of({0.8, 0.5}, {}), 4u);
  EXPECT_EQ(decimals_of({0, 0}, {}), 4u);
  EXPECT_EQ(decimals_of({0.0000123, 0}, {}), 7u);
  EXPECT_EQ(decimals_of({0.0074, 0.0031}, {}), 4u);
  EXPECT_EQ(decimals_of({0.000417, 0.000416}, {}), 6u) << "four decimals would make them equal";
}

TEST(Decimals, OfANumberAloneAreFour) {
  EXPECT_EQ(decimals_of({0.0074}, {}), 4u);
  EXPECT_EQ(decimals_of({0.000417}, {}), 4u);
  EXPECT_EQ(decimals_of({0.0000123}, {}), 7u) << "four decimals would say that it is 0";
}

TEST(Decimals, OfPercentAreTwo) {
  EXPECT_EQ(decimals_of({2.5617}, {}, in_percent("bleu")), 2u);
  EXPECT_EQ(decimals_of({0, 0}, {}, in_percent("ter")), 2u);
  EXPECT_EQ(decimals_of({2.5617}, {}, in_percent("fid")), 4u);
}

TEST(FewNames, AreNamedUpToThreeAndCountedBeyond) {
  EXPECT_EQ(few_names({"a"}, "systems"), "a");
  EXPECT_EQ(few_names({"a", "b"}, "systems"), "a and b");
  EXPECT_EQ(few_names({"a", "b", "c"}, "systems"), "a, b and c");
  EXPECT_EQ(few_names({"a", "b", "c", "d"}, "systems"), "4 systems");
  EXPECT_EQ(few_names({"a", "b", "c", "d"}, "systems", 4), "a, b, c and d");
}

TEST(FixedNumber, HasNoNegativeZero) {
  EXPECT_EQ(fixed_number(-0.00001, 2), "0.00");
  EXPECT_EQ(fixed_number(-0.5, 2), "-0.50");
  EXPECT_EQ(fixed_number(std::numeric_limits<double>::infinity(), 2), "infinite");
}

/// "mine_2" is better than "base" by bleu, and worse by ter.
Table example_summary() {
  Table table = named_rows("", "system", {"base", "mine_2"});
  add_column(table, metric_column("bleu", "bleu"), {20.0, 30.0});
  add_column(table, metric_column("ter", "ter"), {60.0, 60.5});
  table.rows[1][1].verdict = Verdict::better;
  table.rows[1][2].verdict = Verdict::worse;
  for (ReportColumn& column : table.columns) column.marks_best = column.kind == CellKind::number;
  order_by(table, 1);
  table.tested = true;
  return table;
}

TEST(TableText, PutsTheBestFirstAndMarksBehindWhatATestSeparatesFromTheFirst) {
  ReportText document;
  document.set_baseline("base", 0.05);
  document.table(example_summary());
  document.legend();
  document.legend();
  EXPECT_EQ(document.write({}),
            "system   bleu   ter \u2193\nmine_2  30.00*  60.50\u2020\nbase    20.00   60.00\n"
            "* better, \u2020 worse than base (p adjusted <= 0.05, and the interval leaves out 0)\n\u2193 "
            "lower is better\n");
}

TEST(TableText, ExplainsNoMarkThatIsNotThere) {
  Table table = named_rows("", "system", {"a*b"});
  add_column(table, metric_column("bleu", "bleu"), {20.0});
  table.tested = true;
  ReportText document;
  document.table(table);
  document.legend();
  EXPECT_EQ(document.write({}), "system   bleu\na*b     20.00\n");
}

TEST(TableText, WritesForPapers) {
  EXPECT_EQ(to_text(example_summary(), {TableStyle::markdown, 1, false}),
            "| system | bleu | ter \u2193 |\n|---|--:|--:|\n| mine\\_2 | **30.0** \\* | 60.5 \u2020 |\n"
            "| base | 20.0 | **60.0** |\n");
  EXPECT_EQ(to_text(example_summary(), {TableStyle::latex, 1, false}),
            "\\begin{tabular}{lrr}\n\\toprule\nsystem & bleu & ter $\\downarrow$ \\\\\n\\midrule\n"
            "mine\\_2 & \\textbf{30.0}$^{*}$ & 60.5$^{\\dagger}$ \\\\\nbase & 20.0 & \\textbf{60.0} \\\\\n"
            "\\bottomrule\n\\end{tabular}\n");
}

TEST(TableText, MarksAllThatLookLikeTheBest) {
  Table table = named_rows("", "system", {"a", "b", "c"});
  add_column(table, metric_column("bleu", "bleu"), {20.001, 20.002, 10.0});
  table.columns[1].marks_best = true;
  EXPECT_EQ(to_text(table, {TableStyle::markdown}),
            "| system | bleu |\n|---|--:|\n| a | **20.00** |\n| b | **20.00** |\n| c | 10.00 |\n");
}

TEST(TableText, ExplainsItsMarksForPapersToo) {
  const auto below = [](TableStyle style) {
    ReportText document;
    document.set_baseline("my_base", 0.05);
    document.table(example_summary());
    document.legend();
    const TextOptions options{style, 1, false};
    return document.write(options).substr(to_text(example_summary(), options).size());
  };
  EXPECT_EQ(below(TableStyle::markdown),
            "\n\\* better, \u2020 worse than my\\_base (p adjusted <= 0.05, and the interval leaves out "
            "0)\n\n\u2193 lower is better\n");
  EXPECT_EQ(below(TableStyle::latex),
            "% * better, \u2020 worse than my_base (p adjusted <= 0.05, and the interval leaves out 0)\n% "
            "\u2193 lower is better\n");
}

TEST(TableText, HasIntervalsForPapersWhereNothingWasTested) {
  Table table = named_rows("", "system", {"mine"});
  add_column(table, metric_column("bleu", "bleu"), {30.0});
  table.rows[0][1].interval = Interval{28, 33};
  table.brief = true;
  EXPECT_EQ(to_text(table, {TableStyle::markdown, 1, false}),
            "| system | bleu |\n|---|--:|\n| mine | 30.0 [28.0, 33.0] |\n");
  EXPECT_EQ(to_text(table, {TableStyle::text, 1, false}), "system  bleu\nmine    30.0\n");
}

/// A metric at one size: people's number, then those of "a", "b" with their standings.
Ceiling ceiling(const std::string& metric, const std::string& result, double people,
                std::vector<std::pair<double, Standing>> systems) {
  Ceiling found;
  found.metric = found.requested = metric;
  found.samples = "sentence";
  found.texts = 150;
  found.people.scores = {{result, people}};
  const char* name = "a";
  for (const auto& [value, standing] : systems) {
    found.systems.push_back({name, {{result, value}}, {}, {}, standing});
    name = "b";
  }
  return found;
}

TEST(BesidePeople, NumbersThatCannotBeToldApartMakeNoOrder) {
  const std::vector<Ceiling> ceilings{
      ceiling("me", "petersen", 0.936, {{0.98, Standing::farther}, {0.938, Standing::alike}}),
      ceiling("impar", "precision", 0.9, {{0.95, Standing::alike}, {0.91, Standing::alike}})};
  EXPECT_EQ(to_text(people_tables(ceilings).front().table),
            "system               me petersen     impar precision\n"
            "(people), 150 texts  0.9360          0.9000\n"
            "b                    0.9380 alike    0.9100 alike\n"
            "a                    0.9800 farther  0.9500 alike\n");
  EXPECT_EQ(people_verdicts(ceilings),
            (std::vector<std::string>{"a is farther from the reference than other people's texts are (me).",
                                      "b cannot be told from people at this size (me, impar)."}));
}

TEST(BesidePeople, NamesAResultOtherThanTheMainOne) {
  std::vector<Ceiling> ceilings{ceiling("prdc", "coverage", 0.95, {{0.94, Standing::alike}})};
  DrawnScores& a = ceilings.front().systems.front();
  a.standings = {
      {"precision", Standing::alike}, {"recall", Standing::farther}, {"coverage", Standing::alike}};
  EXPECT_EQ(people_verdicts(ceilings),
            std::vector<std::string>{"a is behind people in prdc.recall: its texts are less varied."});
}

TEST(BesidePeople, SaysWhatLargeDifferencesComeFrom) {
  std::vector<Ceiling> ceilings{ceiling("prdc", "coverage", 0.95, {{0.2, Standing::farther}})};
  DrawnScores& a = ceilings.front().systems.front();
  const auto expect = [&](Standing precision, Standing recall, const std::string& cause) {
    a.standings = {{"precision", precision}, {"recall", recall}, {"coverage", Standing::farther}};
    EXPECT_EQ(people_verdicts(ceilings).front(),
              "a is farther from the reference than other people's texts are (prdc)" + cause + ".");
  };
  expect(Standing::closer, Standing::farther, ": its texts are less varied");
  expect(Standing::farther, Standing::alike, ": its texts are unlike people's");
  expect(Standing::farther, Standing::farther, ": its texts are unlike people's, and less varied");
  expect(Standing::alike, Standing::alike, "");
}

TEST(BesidePeople, HasNoOtherSizeInTheNameOfAMetric) {
  std::vector<Ceiling> ceilings{ceiling("me", "petersen", 0.95, {{0.94, Standing::alike}})};
  ceilings.front().requested = "me:n=300";
  EXPECT_EQ(people_tables(ceilings).front().table.columns[1].title, "me");
  ceilings.front().requested = "me:k=3,n=300";
  EXPECT_EQ(people_tables(ceilings).front().table.columns[1].title, "me:k=3");
}

TEST(BesidePeople, OfACopyTheNumbersSayNothing) {
  std::vector<Ceiling> ceilings{
      ceiling("prdc", "coverage", 0.95, {{0.99, Standing::alike}, {0.94, Standing::alike}})};
  ceilings.front().systems.front().copied = 1;
  EXPECT_EQ(
      people_verdicts(ceilings),
      (std::vector<std::string>{"a copies the reference: most of its texts stand there word for word, so "
                                "these numbers say nothing about it.",
                                "b cannot be told from people at this size (prdc)."}));
  EXPECT_EQ(people_tables(ceilings).front().table.rows.front()[1].note, "copy");
}

TEST(BesidePeople, SaysThatFewTextsShowLargeDifferencesOnly) {
  std::vector<Ceiling> ceilings{ceiling("prdc", "coverage", 0.95, {{0.94, Standing::alike}})};
  ceilings.front().texts = 50;
  EXPECT_EQ(people_verdicts(ceilings).back(), "50 texts of each are few: only large differences are found.");
}

TEST(BesidePeople, LeavesOutAMetricThatGivesPeopleNothing) {
  const std::vector<Ceiling> ceilings{ceiling("me", "petersen", 0, {{0, Standing::alike}})};
  EXPECT_TRUE(people_tables(ceilings).empty());
  EXPECT_EQ(people_verdicts(ceilings),
            std::vector<std::string>{"me is not compared with people's own texts: at this size even they "
                                     "score 0; more texts are needed."});
}

TEST(BesidePeople, SaysWhyAMetricHasNoRow) {
  Ceiling small = ceiling("me", "petersen", 0, {{0, Standing::alike}});
  small.people = {};
  small.systems = {DrawnScores{"a"}};
  small.missing = "this needs 40 texts or more in the reference and in each system, and a has 30";
  Ceiling other = small;
  other.requested = "fid";
  const std::string why =
      "me and fid are not compared with people's own texts: this needs 40 texts or more in the reference and "
      "in each system, and a has 30.";
  EXPECT_EQ(people_verdicts({small, other}), std::vector<std::string>{why});
  ReportText document;
  add_people({small, other}, false, document);
  EXPECT_TRUE(document.write({}).starts_with(why + "\n"));
  EXPECT_EQ(document.write({TableStyle::markdown}), why + "\n");
  EXPECT_FALSE(all_beside_people({small, other}, 2));
  const Ceiling shown = ceiling("prdc", "coverage", 0.95, {{0.94, Standing::alike}});
  EXPECT_EQ(people_tables({small, shown}).front().table.columns.size(), 2U);
  EXPECT_FALSE(all_beside_people({small, shown}, 2));
}

TEST(Separated, NeedsPAndTheIntervalToAgree) {
  const auto pair = [](double low, double high, double p) {
    return ComparedPair{0, 1, 0.5, Interval{low, high}, p, p};
  };
  EXPECT_TRUE(is_separated(pair(0.1, 0.9, 0.038), 0.05));
  EXPECT_FALSE(is_separated(pair(-0.08, 0.9, 0.038), 0.05)) << "sacrebleu's p looks at one direction";
  EXPECT_FALSE(is_separated(pair(0.1, 0.9, 0.06), 0.05));
}

TEST(TableText, GoesOnBelowWhereItIsTooWide) {
  Table table = named_rows("", "system", {"a"});
  for (int i = 0; i < 9; ++i)
    add_column(table, ReportColumn("a rather long metric", CellKind::number), {0.5});
  table.in_parts = true;
  const std::string text = to_text(table);
  for (std::size_t start = 0; start < text.size(); start = text.find('\n', start) + 1)
    EXPECT_LE(text.find('\n', start) - start, 80u);
}

}  // namespace
}  // namespace markeval::report
