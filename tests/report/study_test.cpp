#include "report/study.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace markeval::report {
namespace {

Study example_study() {
  Study study;
  study.name = "k-sweep";
  study.about = "What it shows";
  study.tables = {study_table("scores", "Score", {"k", "petersen"}, 2, Drawing::curve),
                  study_table("best", "Best", {"metric", "value"})};
  study.tables[0].rows = {{std::uint64_t{1}, 0.125}, {std::uint64_t{10}, {}}};
  study.tables[1].rows = {{"me", 0.5}};
  study.signatures = {"me|k:1"};
  return study;
}

TEST(StudyText, AlignsTablesAndShowsSignatures) {
  EXPECT_EQ(to_text(example_study()),
            "What it shows\n\nScore\n k  petersen\n 1      0.12\n10         -\n\n"
            "Best\nmetric  value\nme      0.500\n\nsignature: me|k:1\n");
}

TEST(StudyText, ShowsTheAbscissaAsItIs) {
  Study study;
  study.tables = {study_table("scores", "Score", {"swapped", "fid"}, 4, Drawing::curve)};
  study.tables[0].rows = {{0.1, 0.25}};
  EXPECT_EQ(to_text(study), "\n\nScore\nswapped     fid\n    0.1  0.2500\n");
}

TEST(StudyTsv, KeepsAllDigitsAndLeavesGapsEmpty) {
  EXPECT_EQ(to_tsv(example_study()),
            "# scores\nk\tpetersen\n1\t0.125\n10\t\n\n# best\nmetric\tvalue\nme\t0.5\n");
}

TEST(StudySvg, DrawsALineForEveryColumnAndSkipsGaps) {
  Study study = example_study();
  study.tables[0].columns[1].title = "<petersen>";
  const std::string svg = to_svg(study.tables[0]);
  EXPECT_TRUE(svg.starts_with("<svg") || svg.starts_with("<?xml")) << svg.substr(0, 80);
  EXPECT_NE(svg.find("&lt;petersen&gt;"), std::string::npos);
  EXPECT_EQ(svg.find("<petersen>"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(StudySvg, DrawsDiversityInDashedLines) {
  const Table table =
      study_table("scores", "Score", {"k", "me.schnabel_qual", "me.schnabel_div", "prdc.recall", "fid"}, 2,
                  Drawing::curve);
  const LineChart chart = line_chart(table, [](const std::string&) { return true; });
  std::vector<bool> dashed;
  for (const Line& line : chart.lines) dashed.push_back(line.dashed);
  EXPECT_EQ(dashed, (std::vector<bool>{false, true, true, false}));
}

TEST(StudySvg, GivesQualityAndDiversityOneColourAndOtherLinesAnother) {
  const Table table = study_table(
      "scores", "Score", {"k", "impar.recall", "me.petersen", "impar.precision", "prd.f8", "prd.f1_8", "fid"},
      2, Drawing::curve);
  std::vector<std::size_t> colours;
  for (const Line& line : line_chart(table, [](const std::string&) { return true; }).lines)
    colours.push_back(line.colour.value());
  EXPECT_EQ(colours, (std::vector<std::size_t>{0, 1, 0, 2, 2, 3}));
}

TEST(StudySvg, DrawsABandAsFarAsTheDeviation) {
  Table table = study_table("scores", "Score", {"k", "fid"}, 2, Drawing::curve);
  table.rows = {{0.0, 0.5}, {1.0, 0.75}};
  EXPECT_EQ(to_svg(table).find(" opacity="), std::string::npos);
  table.rows[0][1].spread = 0.125;
  table.rows[1][1].spread = 0.25;
  const LineChart chart = line_chart(table, [](const std::string&) { return true; });
  EXPECT_EQ(chart.lines[0].points[1].interval->low, 0.5);
  EXPECT_EQ(chart.lines[0].points[1].interval->high, 1.0);
  EXPECT_NE(to_svg(table).find(" opacity="), std::string::npos);
}

TEST(StudyJson, HasNullForWhatIsMissingOrInfinite) {
  Study study = example_study();
  study.tables[1].rows[0][1] = std::numeric_limits<double>::infinity();
  const auto json = nlohmann::json::parse(to_json(study));
  EXPECT_TRUE(json["tables"][0]["rows"][1][1].is_null());
  EXPECT_TRUE(json["tables"][1]["rows"][0][1].is_null());
  EXPECT_EQ(json["tables"][0]["rows"][0][1], 0.125);
}

}  // namespace
}  // namespace markeval::report
