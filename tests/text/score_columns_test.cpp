#include "text/score_columns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

#include "base/error.hpp"
#include "support/temp_folder.hpp"

namespace markeval::text {
namespace {

using ::testing::ElementsAre;

const std::vector<ColumnRequest> kScores{{"lp", ColumnKind::label}, {"human", ColumnKind::number}};

std::vector<Column> read(const TempFolder& folder, const std::string& name, const std::string& content,
                         const std::vector<ColumnRequest>& requests = kScores) {
  return read_columns(folder.write(name, content), requests);
}

TEST(ScoreColumns, ReadTheSameFromEveryFormat) {
  const TempFolder folder;
  const std::string tsv = "human\tother\tlp\n0.5\tx\tde\n\ty\tfi\n+1e-3\tz\tde\n";
  const auto check = [](const std::vector<Column>& columns) {
    ASSERT_EQ(columns.size(), 2u);
    EXPECT_THAT(columns[0].labels, ElementsAre("de", "fi", "de"));
    EXPECT_THAT(columns[1].numbers, ElementsAre(0.5, std::nullopt, 0.001));
  };
  check(read(folder, "a.tsv", tsv));
  check(read(folder, "a.csv",
             "\xEF\xBB\xBFhuman,other,lp\r\n0.5,\"x, \"\"y\"\"\nz\",de\r\nNA,,fi\r\n 1e-3 ,,\"de\"\r\n"));
  check(read(folder, "a.jsonl",
             "{\"lp\": \"de\", \"human\": 0.5}\n{\"lp\": \"fi\", \"human\": null}\n{\"lp\": \"de\", "
             "\"human\": \"0.001\"}\n"));
  const std::string path = folder.file("a.tsv.gz");
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, tsv.data(), static_cast<unsigned>(tsv.size()));
  gzclose(file);
  check(read_columns(path, kScores));
}

TEST(ScoreColumns, TakeEveryWayToWriteAMissingNumber) {
  const TempFolder folder;
  const auto columns =
      read(folder, "a.tsv", "lp\thuman\na\t\na\tNA\na\tN/A\na\tNone\na\tnull\na\t-\na\t-1\n");
  EXPECT_EQ(std::count(columns[1].numbers.begin(), columns[1].numbers.end(), std::nullopt), 6);
  EXPECT_EQ(columns[1].numbers.back(), -1);
}

TEST(ScoreColumns, SayWhereACellIsNoNumber) {
  const TempFolder folder;
  EXPECT_ERROR(read(folder, "a.tsv", "lp\thuman\nde\t1\nde\t3,5\n"), ErrorCode::invalid_input,
               "a.tsv:3: column 'human' holds '3,5', expected a number");
  EXPECT_ERROR(
      read(folder, "b.tsv", "lp\thuman\nde\tnan\n"), ErrorCode::invalid_input,
      "b.tsv:2: column 'human' holds 'nan', expected a finite number (an empty cell is a missing value)");
  EXPECT_ERROR(read(folder, "c.csv", "lp,human\nde,inf\n"), ErrorCode::invalid_input,
               "c.csv:2: column 'human' holds 'inf'");
  EXPECT_ERROR(read(folder, "d.jsonl", "{\"lp\": \"de\", \"human\": [1]}\n"), ErrorCode::invalid_input,
               "d.jsonl:1: column 'human' holds a list, expected a number");
}

TEST(ScoreColumns, NameTheClosestColumn) {
  const TempFolder folder;
  EXPECT_ERROR(read(folder, "a.tsv", "lp\thumam\nde\t1\n"), ErrorCode::usage,
               "a.tsv: no column 'human'; did you mean 'humam'? (columns: lp, humam)");
  EXPECT_ERROR(read(folder, "a.csv", "lp,humam\nde,1\n"), ErrorCode::usage, "did you mean 'humam'?");
  EXPECT_ERROR(read(folder, "a.jsonl", "{\"lp\": \"de\", \"humam\": 1}\n"), ErrorCode::usage,
               "a.jsonl:1: no column 'human'; did you mean 'humam'?");
  EXPECT_ERROR(read(folder, "b.csv", "lp,human,human\nde,1,2\n"), ErrorCode::invalid_input,
               "two columns are named 'human'");
}

TEST(ScoreColumns, RefuseWhatIsNoTable) {
  const TempFolder folder;
  EXPECT_ERROR(read(folder, "a.txt", "lp\thuman\n"), ErrorCode::usage,
               "a.txt: expected a table, .tsv, .csv or .jsonl");
  EXPECT_ERROR(read(folder, "a.tsv", "lp\thuman\n"), ErrorCode::invalid_input,
               "a.tsv: no rows, expected at least one");
  EXPECT_ERROR(read(folder, "e.csv", ""), ErrorCode::invalid_input, "e.csv: empty, expected a header line");
  EXPECT_ERROR(read(folder, "a.csv", "lp,human\nde\n"), ErrorCode::invalid_input,
               "a.csv:2: 1 column, expected 2");
  EXPECT_ERROR(read(folder, "b.csv", "lp,human\n\"de,1\n"), ErrorCode::invalid_input,
               "b.csv:2: a quote that never ends");
  EXPECT_ERROR(read(folder, "a.jsonl", "{\"lp\"\n"), ErrorCode::invalid_input,
               "a.jsonl:1: not JSON: unexpected end of input");
  EXPECT_ERROR(read(folder, "b.jsonl", "[1]\n"), ErrorCode::invalid_input,
               "b.jsonl:1: a list, expected a JSON object");
  EXPECT_ERROR(read(folder, "c.tsv", "lp\thuman\n\t1\n"), ErrorCode::invalid_input,
               "c.tsv:2: column 'lp' is empty, expected a name");
  EXPECT_ERROR(read_columns(folder.file("none.tsv"), kScores), ErrorCode::io, "none.tsv");
}

TEST(ScoreColumns, ReadTextsAndListsOfTexts) {
  const TempFolder folder;
  const std::vector<ColumnRequest> request{{"ref", ColumnKind::texts}};
  EXPECT_THAT(read(folder, "a.tsv", "ref\n a b \n", request)[0].texts, ElementsAre(ElementsAre(" a b ")));
  EXPECT_THAT(read(folder, "a.jsonl", "{\"ref\": [\"a\", \"b\"]}\n{\"ref\": \"c\"}\n", request)[0].texts,
              ElementsAre(ElementsAre("a", "b"), ElementsAre("c")));
  EXPECT_ERROR(read(folder, "b.jsonl", "{\"ref\": []}\n", request), ErrorCode::invalid_input,
               "holds an empty list");
  EXPECT_ERROR(read(folder, "c.jsonl", "{\"ref\": [1]}\n", request), ErrorCode::invalid_input,
               "lists a number");
}

TEST(ScoreColumns, TakeNumbersInJsonAsLabels) {
  const TempFolder folder;
  const std::vector<ColumnRequest> request{{"topic", ColumnKind::label}};
  EXPECT_THAT(read(folder, "a.jsonl", "{\"topic\": 7}\n{\"topic\": true}\n", request)[0].labels,
              ElementsAre("7", "true"));
  EXPECT_ERROR(read(folder, "b.jsonl", "{\"topic\": null}\n", request), ErrorCode::invalid_input,
               "holds null, expected a name");
}

}  // namespace
}  // namespace markeval::text
