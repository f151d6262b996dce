// Files of the page: read as the command line reads them.
#include "serve/read_texts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/json.hpp"

namespace markeval::serve {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr std::size_t kMostTexts = 10;

json read(const json& body) {
  return json::parse(read_texts(body, kMostTexts).dump());
}

std::string told(const json& body) {
  try {
    read_texts(body, kMostTexts);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ReadTexts, GivesTheLinesOfPlainText) {
  EXPECT_EQ(read({{"name", "a.txt"}, {"content", "\xEF\xBB\xBFone\r\n\ntwo"}}),
            (json{{"name", "a.txt"}, {"texts", {"one", "", "two"}}}));
}

TEST(ReadTexts, AsksForTheColumnOfATable) {
  const json table{{"name", "d.tsv"}, {"content", "ref\tb\na cat\tthe cat\na dog\tdogs\n"}};
  EXPECT_EQ(read(table), json::parse(R"({"name": "d.tsv", "columns": ["ref", "b"],
                            "rows": [["a cat", "the cat"], ["a dog", "dogs"]]})"));
  json chosen = table;
  chosen["column"] = "b";
  EXPECT_EQ(read(chosen)["texts"], (json{"the cat", "dogs"}));
  chosen["column"] = "reff";
  EXPECT_THAT(told(chosen), HasSubstr("did you mean 'ref'"));
}

TEST(ReadTexts, ReadsQuotesOfCsvAndListsOfJsonLines) {
  EXPECT_EQ(read({{"name", "d.csv"}, {"content", "t\n\"a, \"\"b\"\"\"\n"}, {"column", "t"}})["texts"],
            (json{"a, \"b\""}));
  const json lines{{"name", "d.jsonl"},
                   {"content", "{\"refs\": [\"a\", \"b\"], \"n\": 3}\n{\"refs\": [\"c\"], \"n\": 4}\n"}};
  EXPECT_EQ(read(lines)["columns"], (json{"n", "refs"}));
  EXPECT_EQ(read(lines)["rows"][0], (json{"3", "a | b"}));
  json chosen = lines;
  chosen["column"] = "refs";
  EXPECT_EQ(read(chosen)["texts"], (json{{"a", "b"}, "c"}));
}

TEST(ReadTexts, ShowsTheFirstRowsOfLongCellsOnly) {
  std::string content = "t\n";
  for (int i = 0; i < 50; ++i) content += std::string(500, 'x') + "\u00e9\n";
  const json answer = read({{"name", "d.tsv"}, {"content", content}});
  EXPECT_EQ(answer["rows"].size(), 4u);
  EXPECT_LE(answer["rows"][0][0].get<std::string>().size(), 160u);
}

TEST(ReadTexts, RefusesWhatIsNotAskedForThisWay) {
  EXPECT_THAT(told({{"content", "a"}}), HasSubstr("name: expected a string"));
  EXPECT_THAT(told({{"name", "a.txt"}, {"content", 3}}), HasSubstr("content: expected a string"));
  EXPECT_THAT(told({{"name", "a.txt"}, {"content", "a"}, {"path", "/etc"}}),
              HasSubstr("unknown field 'path'"));
  EXPECT_THAT(told({{"name", "a.txt"}, {"content", "a"}, {"column", "b"}}),
              HasSubstr("plain text has no columns"));
  EXPECT_THAT(told({{"name", "a.tsv"}, {"content", "a\tb\nc\n"}, {"column", "b"}}),
              HasSubstr("a.tsv:2: 1 column"));
}

TEST(ReadTexts, OpensNoFile) {
  EXPECT_EQ(read({{"name", "/etc/passwd"}, {"content", "mine"}})["texts"], (json{"mine"}));
}

TEST(ReadTexts, RefusesMoreTextsThanTheServerTakes) {
  EXPECT_THAT(told({{"name", "a.txt"}, {"content", std::string(11, '\n')}}),
              HasSubstr("more than 10 texts (max_texts"));
}

}  // namespace
}  // namespace markeval::serve
