// The page of a study: its tables as charts, ranked, folded where they are long.
#include "report/html_study.hpp"

#include <gtest/gtest.h>

#include "report/occurrences.hpp"
#include "support/xml_check.hpp"

namespace markeval::report {
namespace {

using markeval::testing::XmlCheck;

Table agreement_table(std::size_t ours) {
  Table table = study_table("wmt17-segment", "Pearson", {"metric", "model", "source", "de-en", "mean"});
  for (std::size_t i = 0; i < ours; ++i) {
    table.rows.push_back(
        {"chrf<" + std::to_string(i), "-", "markeval", 0.25, 0.001 * static_cast<double>(i)});
  }
  table.rows.push_back({"BERTR", "BERT-base", "Mathur et al. 2019", Cell(), 0.689});
  return table;
}

TEST(StudyPage, PutsOursBesideThePapers) {
  const std::string html = study_table_html(agreement_table(2));
  EXPECT_EQ(XmlCheck(html, true).fault(), "");
  EXPECT_EQ(occurrences(html, "<svg"), 2u);
  EXPECT_NE(html.find("Dot plot: mean, ours"), std::string::npos);
  EXPECT_NE(html.find("Dot plot: mean, the papers&#39;"), std::string::npos) << html;
  EXPECT_NE(html.find(">BERTR, BERT-base</text>"), std::string::npos);
  EXPECT_NE(html.find("data-v=\"0.689\"><span>0.689</span></td>"), std::string::npos);
  EXPECT_LT(html.find(">chrf&lt;1</text>"), html.find(">chrf&lt;0</text>")) << "the best first";
  EXPECT_EQ(html.find("are drawn"), std::string::npos);
}

TEST(StudyPage, NamesSetMetricsShortlyInCharts) {
  Table table = agreement_table(0);
  for (const char* name :
       {"me:samples=word,scope=segment.petersen", "me:k=2,samples=word,scope=segment.capture",
        "me:samples=word,scope=segment,k=3.capture"})
    table.rows.push_back({std::string(name), "small", "markeval", 0.25, 0.5});
  const std::string html = study_table_html(table);
  for (const char* label :
       {">me.petersen, small</text>", ">me:k=2.capture, small</text>", ">me:k=3.capture, small</text>"})
    EXPECT_NE(html.find(label), std::string::npos) << label;
}

TEST(StudyPage, DrawsTheBestOfManyAndSaysSo) {
  const std::string html = study_table_html(agreement_table(40));
  EXPECT_NE(html.find("The chart has our best 14; the table has all."), std::string::npos);
  EXPECT_NE(html.find(">chrf&lt;39</text>"), std::string::npos);
  EXPECT_EQ(html.find(">chrf&lt;3</text>"), std::string::npos);
  EXPECT_NE(html.find("chrf&lt;3</th>"), std::string::npos);
}

TEST(StudyPage, HasDeviationsBesideTheNumbersOfTheirCurveAndNoTableOfThem) {
  Table curve = study_table("scores", "Score", {"swapped", "fid.fid"}, 2, Drawing::curve);
  curve.rows = {{0.0, 0.5}, {1.0, 0.75}};
  curve.rows[0][1].spread = 0.125;
  curve.rows[1][1].spread = 0.25;
  Table spread = study_table("scores-spread", "Standard deviation", {"swapped", "fid.fid"}, 2);
  spread.rows = {{0.0, 0.125}, {1.0, 0.25}};
  StudyPage page;
  page.study.tables = {curve, spread};
  std::string html = study_page(page);
  EXPECT_NE(html.find("0.75"), std::string::npos);
  EXPECT_NE(html.find("\u00b10.25"), std::string::npos);
  EXPECT_EQ(html.find("Standard deviation"), std::string::npos);
  page.study.tables[1].rows[0][1] = 0.5;  // another table
  html = study_page(page);
  EXPECT_NE(html.find("Standard deviation"), std::string::npos);
}

TEST(StudyPage, DrawsAChartForEachMetricOfACurve) {
  Table curve =
      study_table("scores", "Score", {"swapped", "me.petersen", "me.capture", "fid.fid"}, 2, Drawing::curve);
  for (std::size_t i = 0; i < 3; ++i) curve.rows.push_back({0.5 * static_cast<double>(i), 0.25, 0.5, Cell()});
  const std::string html = study_table_html(curve);
  EXPECT_EQ(occurrences(html, "aria-label=\"Line chart"), 2u);
  EXPECT_EQ(occurrences(html, "<table"), 2u);
  EXPECT_NE(html.find("class=\"n\">petersen</th>"), std::string::npos);
  EXPECT_NE(html.find("data-v=\"0.5\">0.5</th>"), std::string::npos) << "the abscissa as it is";
  for (std::size_t i = 0; i < 20; ++i) curve.rows.push_back({2.0, 0.25, 0.5, Cell()});
  EXPECT_EQ(occurrences(study_table_html(curve), "<details>"), 2u) << "long tables are folded";
}

TEST(StudyPage, PutsTheMeanFirstAndFoldsManyGroups) {
  Table table = study_table("agreement", "Pearson", {"metric", "model", "source"});
  table.by_group = true;
  for (int group = 0; group < 8; ++group) table.columns.emplace_back("g" + std::to_string(group));
  table.columns.push_back("mean");
  table.rows.emplace_back(std::vector<Cell>{"chrf", "-", "markeval"});
  table.rows.back().resize(table.columns.size(), Cell(0.25));
  const std::string html = study_table_html(table);
  EXPECT_NE(html.find("<summary>All 8 groups</summary>"), std::string::npos) << html;
  EXPECT_LT(html.find(">mean</th>"), html.find(">g0</th>"));
  EXPECT_GT(html.find(">g0</th>"), html.find("<summary>All 8"));
  const std::string text = to_text(Study{"own", "about", {table}, {}, {}});
  EXPECT_NE(text.find("metric  model   mean\n"), std::string::npos) << text;
  EXPECT_NE(text.find("8 groups are left out here"), std::string::npos) << text;
}

TEST(StudyPage, HasSignaturesAndInputs) {
  StudyPage page;
  page.facts = {"wmt17", "about", {"markeval", "experiment"}, {{"data", "a.tsv", 3, "abc"}}, {"careful"}};
  page.study.tables = {agreement_table(1)};
  page.study.signatures = {"chrf|version:0"};
  const std::string html = study_page(page);
  EXPECT_EQ(XmlCheck(html, true).fault(), "");
  for (const char* part : {"chrf|version:0", "a.tsv", "careful", ">experiment</span>", "about"})
    EXPECT_NE(html.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace markeval::report
