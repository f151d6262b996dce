// The headline of a page and the table below it.
#include "report/html_overview.hpp"

#include <gtest/gtest.h>

#include "report/occurrences.hpp"
#include "report/score_tables.hpp"

namespace markeval::report {
namespace {

/// Metrics m, n, ... by system.
Table table_of(const std::vector<std::string>& systems, const std::vector<std::vector<double>>& columns) {
  Table table = named_rows("", "system", systems);
  for (const auto& values : columns) {
    ReportColumn column(std::string(1, static_cast<char>('m' + table.columns.size() - 1)), CellKind::number);
    column.marks_best = true;
    add_column(table, column, {values.begin(), values.end()});
  }
  return table;
}

void set_ranks(Table& table, std::size_t column, const std::vector<std::string>& ranks) {
  for (std::size_t row = 0; row < ranks.size(); ++row) table.rows[row][column].rank = ranks[row];
}

TEST(Headline, SaysHighestOfWhatWasNotTested) {
  const Headline found = headline_of(table_of({"a", "b"}, {{1, 2}, {3, 4}, {6, 5}}));
  EXPECT_EQ(found.text, name_html("b") + " scores highest on 2 of 3 metrics");
  EXPECT_TRUE(found.detail.starts_with("Not tested")) << found.detail;
}

TEST(Headline, SaysBestWhereAMetricIsBetterLow) {
  Table table = table_of({"a", "b"}, {{1, 2}, {3, 2}});
  table.columns[2].lower_is_better = true;
  EXPECT_EQ(headline_of(table).text, name_html("b") + " scores best on both metrics");
}

TEST(Headline, CountsNoTiesAndNoMetricThatPartsNobody) {
  // The first looks the same with the digits shown, the second has two at the top.
  const Headline found =
      headline_of(table_of({"a", "b", "c"}, {{1.0, 1.0, 0.99999999}, {5, 5, 1}, {1, 2, 3}}));
  EXPECT_EQ(found.text, name_html("c") + " scores highest on 1 of 2 metrics");
  EXPECT_NE(found.detail.find("A tie on n."), std::string::npos) << found.detail;
  EXPECT_NE(found.detail.find("Not counted: m, the same for all systems."), std::string::npos)
      << found.detail;
  EXPECT_EQ(headline_of(table_of({"a", "b"}, {{1, 1}})).text, "All 2 systems have the same scores");
}

TEST(Headline, CountsNoMetricOfSets) {
  Table table = table_of({"a", "b"}, {{1, 2}, {3, 4}, {6, 5}});
  table.columns[2].of_sets = true;
  const Headline found = headline_of(table);
  EXPECT_EQ(found.text, name_html("a") + " and " + name_html("b") + " each score highest on 1 of 2 metrics");
  EXPECT_NE(found.detail.find("Not counted: n, which depends on the size of the sets."), std::string::npos)
      << found.detail;
  for (const std::size_t column : {1, 3}) table.columns[column].of_sets = true;
  EXPECT_EQ(headline_of(table).text, "") << "the page is named after its systems";
  EXPECT_TRUE(headline_of(table).detail.starts_with("Metrics of sets alone show no winner"));
}

TEST(Headline, CountsMetricsOfSetsThatWereTested) {
  Table table = table_of({"a", "b"}, {{1, 2}});
  table.columns[1].of_sets = true;
  set_ranks(table, 1, {"2", "1"});
  EXPECT_EQ(headline_of(table).text,
            name_html("b") + " is better than " + name_html("a") + " (tested at 5 %)");
}

TEST(Headline, OfManySystemsIsANumber) {
  std::vector<std::vector<double>> columns(4, std::vector<double>(4, 0));
  for (std::size_t i = 0; i < 4; ++i) columns[i][i] = 1;
  EXPECT_EQ(headline_of(table_of({"a", "b", "c", "d"}, columns)).text,
            "4 systems each score highest on 1 of 4 metrics");
}

TEST(Headline, LeadsOnlyWhereATestParts) {
  Table table = table_of({"a", "b", "c"}, {{3, 2, 1}, {3, 2, 1}});
  set_ranks(table, 1, {"1", "2", "3"});
  set_ranks(table, 2, {"1-2", "1-2", "3"});
  const Headline found = headline_of(table);
  EXPECT_EQ(found.text, name_html("a") + " is better than both others on 1 of 2 metrics (tested at 5 %)");
  EXPECT_EQ(found.detail, "The test of n does not separate it from " + name_html("b") + ".");
  set_ranks(table, 1, {"1-2", "1-2", "3"});
  EXPECT_EQ(headline_of(table).text, name_html("a") + " and " + name_html("b") + " share the first rank");
}

TEST(Headline, NamesEveryMetricWhoseTestDoesNotSeparateTheLeader) {
  Table table = table_of({"base", "mine", "old"}, {{50, 60, 40}, {0.8, 0.9, 0.7}, {30, 29, 20}});
  table.columns[1].title = "chrf";
  table.columns[2].title = "bertscore";
  table.columns[3].title = "bleu";
  set_ranks(table, 1, {"2", "1", "3"});
  set_ranks(table, 2, {"1-2", "1-2", "3"});
  set_ranks(table, 3, {"1-2", "1-2", "3"});
  EXPECT_EQ(headline_of(table).text,
            name_html("mine") + " is better than both others on 1 of 3 metrics (tested at 5 %)");
  EXPECT_EQ(headline_of(table).detail,
            "The test of bertscore and bleu does not separate it from " + name_html("base") + ".");
  Table tied = table_of({"a", "b"}, {{1, 2}, {1, 2}});
  for (const std::size_t column : {1, 2}) set_ranks(tied, column, {"1-2", "1-2"});
  EXPECT_EQ(headline_of(tied).text, "No test separates the 2 systems");
}

TEST(Headline, NamesTheOtherOfTwoSystemsAndTheLevelOfTheTest) {
  Table table = table_of({"a", "b"}, {{1, 2}, {1, 2}});
  for (const std::size_t column : {1, 2}) set_ranks(table, column, {"2", "1"});
  EXPECT_EQ(headline_of(table, 0.01).text,
            name_html("b") + " is better than " + name_html("a") + " on both metrics (tested at 1 %)");
}

TEST(Overview, MarksNoBestOfMetricsThatHavePeopleBesideThem) {
  Table table = table_of({"a", "b"}, {{1, 2}, {3, 4}});
  EXPECT_EQ(occurrences(overview_html(table), "class=\"n b\""), 2u);
  table.columns[2].beside_people = true;
  const std::string html = overview_html(table);
  EXPECT_EQ(occurrences(html, "class=\"n b\""), 1u) << html;
  EXPECT_NE(html.find("is bold, but not of n: these numbers depend on the size"), std::string::npos) << html;
}

TEST(Headline, DoesNotCountAMetricThatGivesSomebodyNoRank) {
  Table table = table_of({"mine", "base", "copy"}, {{3, 2, 9}, {1, 3, 2}});
  set_ranks(table, 1, {"1", "2", "-"});
  set_ranks(table, 2, {"2-3", "1", "2-3"});
  EXPECT_EQ(headline_of(table).text,
            name_html("base") + " is better than both others on 1 of 2 metrics (tested at 5 %)");
}

TEST(Overview, HasTheMetricsOfASingleSystem) {
  const Table table = table_of({"a"}, {{1}, {2}});
  const std::string html = overview_html(table);
  EXPECT_EQ(occurrences(html, "<tr><th scope=\"row\""), 2u);
  EXPECT_NE(headline_of(table).text.find("m 1.0000"), std::string::npos) << headline_of(table).text;
}

}  // namespace
}  // namespace markeval::report
