#include "study/published_figures.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "study/agreement.hpp"

namespace markeval::study {
namespace {

TEST(PublishedFigures, AreCompleteAndInRange) {
  EXPECT_GT(published_figures().size(), 800u);
  std::set<
      std::tuple<std::string_view, std::string_view, std::string_view, std::string_view, std::string_view>>
      seen;
  for (const PublishedFigure& figure : published_figures()) {
    EXPECT_GT(figure.value, 0);
    EXPECT_LT(figure.value, 1);
    EXPECT_FALSE(figure.model.empty());
    EXPECT_TRUE(seen.emplace(figure.table, figure.metric, figure.model, figure.source, figure.column).second)
        << figure.metric << " " << figure.column << " twice";
  }
  const std::vector<std::string> columns{"cs-en", "mean"};
  const auto rows = published_rows("wmt17-segment", columns);
  ASSERT_EQ(rows.size(), 43u);
  EXPECT_EQ(rows[0].metric, "METEOR++");
  EXPECT_EQ(rows[0].values[1], 0.610);
}

TEST(PublishedFigures, MeansAreThoseOfTheirRows) {
  // A figure copied wrongly would show here: the papers print the mean of seven pairs beside them.
  struct Row {
    double sum = 0, mean = 0;
    int pairs = 0;
  };
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, Row> rows;
  for (const PublishedFigure& figure : published_figures()) {
    if (figure.table != "wmt17-segment") continue;
    Row& row = rows[{figure.metric, figure.model, figure.source}];
    if (figure.column == "mean") {
      row.mean = figure.value;
    } else {
      row.sum += figure.value;
      ++row.pairs;
    }
  }
  int checked = 0;
  for (const auto& [name, row] : rows) {
    if (row.mean == 0 || row.pairs != 7) continue;
    EXPECT_NEAR(row.sum / 7, row.mean, 0.0021) << std::get<0>(name) << ", " << std::get<2>(name);
    ++checked;
  }
  EXPECT_GT(checked, 25);
}

TEST(StudyNames, LoseTheFolderOfTheData) {
  EXPECT_EQ(without_folder("rougeWE:embeddings=data/glove.txt", "data"), "rougeWE:embeddings=glove.txt");
  EXPECT_EQ(without_folder("rougeWE:embeddings=mydata/glove.txt", "data"),
            "rougeWE:embeddings=mydata/glove.txt");
  EXPECT_EQ(without_folder("moverscore:idf=/data/a.txt,embeddings=/data/b.txt", "/data"),
            "moverscore:idf=a.txt,embeddings=b.txt");
}

}  // namespace
}  // namespace markeval::study
