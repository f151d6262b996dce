// Marks "not outperformed by any other" in the studies of the papers, and the study of better/worse pairs.
#include "study/marks.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "api/correlate.hpp"
#include "api/markeval.hpp"
#include "study/experiment.hpp"
#include "support/temp_folder.hpp"

namespace markeval {
namespace {

using Json = nlohmann::json;

std::vector<std::string> texts_of(const std::vector<report::Cell>& row) {
  std::vector<std::string> texts;
  for (const report::Cell& cell : row) texts.push_back(cell.text());
  return texts;
}

TEST(Marks, FallToWhateverIsBetterOnEitherSideOfAPair) {
  study::Marks marks(3);
  const auto pair = [](std::size_t first, std::size_t second, std::optional<double> p_greater) {
    meta::MetricDifference difference;
    difference.first = first;
    difference.second = second;
    difference.group = "cs-en";
    difference.n = 10;
    difference.p_greater = p_greater;
    return difference;
  };
  marks.add(std::vector{pair(0, 1, 0.05), pair(0, 2, 0.951), pair(1, 2, 0.5)});
  marks.add(std::vector{pair(0, 1, std::nullopt), pair(0, 2, std::nullopt), pair(1, 2, 0.06)}, "de-en");
  const report::Table table = marks.table("marks", "williams", {"metric"},
                                          std::vector<std::vector<std::string>>{{"a"}, {"b"}, {"c"}});
  EXPECT_EQ(table.title,
            "Not outperformed by any other (williams, one-sided p at most 0.05; no mark below 6 rows)");
  using Texts = std::vector<std::string>;
  ASSERT_EQ(table.columns.size(), 3u);
  EXPECT_EQ(table.columns[2].title, "de-en");
  EXPECT_EQ(texts_of(table.rows[0]), (Texts{"a", "-", ""}));
  EXPECT_EQ(texts_of(table.rows[1]), (Texts{"b", "-", "yes"}));
  EXPECT_EQ(texts_of(table.rows[2]), (Texts{"c", "yes", "yes"}));
}

TEST(Marks, OfOnesOwnDataAreAdjustedAsInCorrelate) {
  study::Marks marks(2, study::MarkRule::adjusted);
  meta::MetricDifference difference;
  difference.second = 1;
  difference.group = "all";
  difference.n = 10;
  difference.difference = 0.1;
  difference.p_greater = 0.02;  // one-sided it would be outperformed
  difference.p_adjusted = 0.12;
  marks.add(std::vector{difference});
  const std::vector<std::vector<std::string>> names{{"a"}, {"b"}};
  EXPECT_EQ(marks.table("m", "williams", {"metric"}, names).rows[1][1].text(), "yes");
  difference.p_adjusted = 0.04;
  marks.add(std::vector{difference});
  const report::Table table = marks.table("m", "williams", {"metric"}, names);
  EXPECT_EQ(table.rows[1][1].text(), "-");
  EXPECT_EQ(table.rows[0][1].text(), "yes");
  EXPECT_EQ(table.title,
            "Not outperformed by any other (williams, two-sided p at most 0.05, adjusted by holm as in "
            "correlate; no "
            "mark below 6 rows)");
}

/// Texts that share ever fewer words with their reference. People agree with the words, not with the letters
/// of the texts, so of `chrf` and `ter` one is better.
class MarkedStudy : public ::testing::Test {
 protected:
  MarkedStudy() { request_.data = folder_.path(); }

  static std::string text(std::size_t shared) {
    std::string words;
    for (std::size_t i = 0; i < 6; ++i) words += (i < shared ? "word" : "none") + std::to_string(i) + " ";
    words.pop_back();
    return words;
  }
  /// The case changes with no meaning: metrics that see it are the worse for it.
  static std::string shouted(std::size_t row, std::string text) {
    if (row % 2 == 0) return text;
    for (char& letter : text) letter = static_cast<char>(std::toupper(letter));
    return text;
  }
  Json run() { return Json::parse(run_experiment(request_, {.threads = 2}).json()); }
  static Json table(const Json& study, const std::string& name) {
    for (const Json& one : study["tables"]) {
      if (one["name"] == name) return one;
    }
    return nullptr;
  }
  static void expect_marks(const Json& marks, std::size_t columns) {
    ASSERT_FALSE(marks.is_null());
    ASSERT_EQ(marks["columns"].size(), 2 + columns) << marks;
    for (std::size_t column = 2; column < 2 + columns; ++column) {
      EXPECT_EQ(marks["rows"][0][column], "-") << "chrf is troubled by capitals";
      EXPECT_EQ(marks["rows"][1][column], "yes") << "chrf of small letters is not";
    }
  }

  TempFolder folder_;
  ExperimentRequest request_;
  const std::vector<Metric> metrics_{"chrf", "chrf:lowercase=yes"};
};

TEST_F(MarkedStudy, OfWmt17HasMarksByPairOfLanguages) {
  std::filesystem::create_directories(folder_.file("wmt17/seglevel"));
  for (const std::string pair : {"cs-en", "de-en"}) {
    std::string rows = "human\tref\thyp\n";
    for (std::size_t i = 0; i < 42; ++i)
      rows += std::to_string(i % 7) + "." + std::to_string(i) + "\t" + text(6) + "\t" +
              shouted(i / 7, text(i % 7)) + "\n";
    folder_.write("wmt17/seglevel/" + pair + ".tsv", rows);
  }
  request_.study = "wmt17";
  request_.metrics = metrics_;
  request_.parts = {"cs-en", "de-en"};
  const Json marks = table(run(), "wmt17-segment-not-outperformed");
  expect_marks(marks, 2);
  EXPECT_EQ(marks["columns"], Json({"metric", "model", "cs-en", "de-en"}));
  request_.metrics = {"chrf"};
  EXPECT_TRUE(table(run(), "wmt17-segment-not-outperformed").is_null()) << "nobody to be outperformed by";
}

TEST_F(MarkedStudy, OfSystemsHasMarksWhereThereAreEnoughOfThem) {
  std::filesystem::create_directories(folder_.file("wmt17/newstest2017_raw"));
  std::string header = "ref", row = text(6), scores = "LP HUMAN SYSTEM\n";
  for (std::size_t i = 0; i < 12; ++i) {
    header += "\tsystem" + std::to_string(i);
    row += "\t" + shouted(i, text(i / 2));
    scores +=
        "cs-en " + std::to_string(i / 2) + "." + std::to_string(i) + " system" + std::to_string(i) + "\n";
  }
  for (const std::string pair : {"cs-en", "de-en"})
    folder_.write("wmt17/newstest2017_raw/" + pair + ".tsv", header + "\n" + row + "\n");
  folder_.write(
      "wmt17/DA-syslevel.csv",
      scores + "de-en 1 system0\nde-en 2 system2\nde-en 3 system4\nde-en 4 system6\n" + "de-en 5 system8\n");
  request_.study = "wmt17";
  request_.level = "system";
  request_.metrics = metrics_;
  request_.parts = {"cs-en", "de-en"};
  const Json marks = table(run(), "wmt17-system-not-outperformed");
  ASSERT_FALSE(marks.is_null());
  EXPECT_EQ(marks["rows"][0], Json({"chrf", "-", "-", "too few"})) << "five systems of de-en are too few";
  EXPECT_EQ(marks["rows"][1], Json({"chrf:lowercase=yes", "-", "yes", "too few"}));
}

TEST_F(MarkedStudy, OfTacTestsTheMeanOverTopics) {
  std::filesystem::create_directories(folder_.file("tac"));
  std::string references, summaries;
  for (const char* topic : {"D1", "D2", "D3"}) {
    references += Json{{"topic", topic}, {"text", text(6)}}.dump() + "\n";
    for (std::size_t i = 0; i < 28; ++i) {
      summaries +=
          Json{{"topic", topic},          {"human_written", false}, {"n_sent", 2},
               {"responsiveness", i % 7}, {"pyr_score", i % 7},     {"text", shouted(i / 7, text(i % 7))}}
              .dump() +
          "\n";
    }
  }
  folder_.write("tac/tac09_references.jsonl", references);
  folder_.write("tac/tac09_summaries.jsonl", summaries);
  request_.study = "tac";
  request_.metrics = metrics_;
  request_.parts = {"2009"};
  const Json marks = table(run(), "tac-2009-not-outperformed");
  expect_marks(marks, 2);
  EXPECT_EQ(marks["columns"], Json({"metric", "model", "responsiveness pearson", "pyramid pearson"}));
  EXPECT_NE(std::string(marks["title"]).find("(perm-both, 2009,"), std::string::npos) << marks["title"];
}

TEST_F(MarkedStudy, OfDataToTextHasMarksByQuestion) {
  std::filesystem::create_directories(folder_.file("d2t"));
  std::string rows;
  for (std::size_t i = 0; i < 42; ++i)
    rows += Json{{"refs", {text(6)}},
                 {"hyp", shouted(i / 7, text(i % 7))},
                 {"informativeness", i % 7},
                 {"naturalness", i % 7},
                 {"quality", i % 7}}
                .dump() +
            "\n";
  folder_.write("d2t/BAGEL.jsonl", rows);
  request_.study = "data-to-text";
  request_.metrics = metrics_;
  request_.parts = {"BAGEL"};
  expect_marks(table(run(), "data-to-text-BAGEL-not-outperformed"), 3);
}

class BetterWorseStudy : public MarkedStudy {
 protected:
  BetterWorseStudy() {
    std::filesystem::create_directories(folder_.file("wmt19_darr"));
    for (const std::string pair : {"gu-en", "lt-en"}) {
      std::string rows;
      for (std::size_t source = 0; source < 20; ++source) {
        for (std::size_t i = 1; i < 4; ++i) {
          const std::size_t worse = (source + i) % 6;
          rows += Json{{"lp", pair},
                       {"src", "source " + std::to_string(source)},
                       {"ref", text(6)},
                       {"better_sys", "a"},
                       {"better", shouted(source, text(worse + 1))},
                       {"worse_sys", "b"},
                       {"worse", text(pair == "lt-en" && source == 7 ? 6 : worse)}}
                      .dump() +
                  "\n";
        }
      }
      folder_.write("wmt19_darr/" + pair + ".jsonl", rows);
    }
    request_.study = "wmt19";
    request_.metrics = metrics_;
    request_.parts = {"gu-en", "lt-en"};
  }
};

TEST_F(BetterWorseStudy, HasWhatCorrelateHasOfTheSamePairs) {
  const Json study = run();
  const Json values = table(study, "wmt19-pairs"), intervals = table(study, "wmt19-pairs-intervals");
  EXPECT_EQ(values["columns"], Json({"metric", "model", "source", "gu-en", "lt-en", "all pairs"}));
  const std::string text = run_experiment(request_, {}).text();
  EXPECT_NE(text.find("120 better/worse pairs"), std::string::npos) << text;
  for (const std::string pair : {"gu-en", "lt-en"}) {
    CorrelateRequest pairs;
    pairs.table = folder_.file("wmt19_darr/" + pair + ".jsonl");
    pairs.reference = "ref";
    pairs.better = "better";
    pairs.worse = "worse";
    pairs.segment = "src";
    pairs.metrics = metrics_;
    pairs.intervals = 1000;
    const Json expected = Json::parse(Evaluator().correlate(pairs).json());
    const std::size_t column = pair == "gu-en" ? 3 : 4;
    for (std::size_t metric = 0; metric < 2; ++metric) {
      const Json& row = expected["results"][metric];
      EXPECT_EQ(values["rows"][metric][column], row["kendall-like"]) << expected.dump(1);
    }
    if (pair != "gu-en") continue;  // the draws of the first group are those of a table of its own
    for (std::size_t metric = 0; metric < 2; ++metric) {
      const Json& interval = expected["results"][metric]["ci"]["kendall-like"];
      EXPECT_EQ(intervals["rows"][metric][2], interval[0]) << expected.dump(1);
      EXPECT_EQ(intervals["rows"][metric][3], interval[1]);
    }
  }
  EXPECT_LT(values["rows"][0][3].get<double>(), values["rows"][1][3].get<double>());
  EXPECT_LT(values["rows"][1][4].get<double>(), 1) << "people prefer fewer words once";
  expect_marks(table(study, "wmt19-not-outperformed"), 2);
}

TEST_F(BetterWorseStudy, OfOneDirectionHasNoRowForAll) {
  request_.parts = {"lt-en"};
  const Json values = table(run(), "wmt19-pairs");
  EXPECT_EQ(values["columns"], Json({"metric", "model", "source", "lt-en"}));
}

TEST_F(BetterWorseStudy, NamesWhatIsMissing) {
  request_.parts = {"kk-en"};
  EXPECT_ERROR(run(), ErrorCode::io, "wmt19_darr/kk-en.jsonl");
  request_.parts = {"de-en"};
  EXPECT_ERROR(run(), ErrorCode::usage, "unknown part 'de-en'");
}

}  // namespace
}  // namespace markeval
