// `experiment own` on small invented tables and folders; no model is needed.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "api/markeval.hpp"
#include "base/cancellation.hpp"
#include "base/random.hpp"
#include "meta/coefficient.hpp"
#include "study/experiment.hpp"
#include "study/judgement_curve.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_model.hpp"

namespace markeval {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class OwnStudy : public ::testing::Test {
 protected:
  OwnStudy() {
    request_.study = "own";
    request_.metrics = {"chrf", "ter", "rouge1"};
    request_.encoder.cache = "none";
  }
  /// A text that keeps the first `kept` of six words of its reference.
  static std::string text(std::size_t segment, std::size_t kept) {
    std::string words;
    for (std::size_t i = 0; i < 6; ++i)
      words +=
          (i > 0 ? " " : "") + (i < kept ? "word" + std::to_string(segment * 7 + i) : std::string("zzz"));
    return words;
  }
  /// 2 groups, 3 systems, 12 segments each: system s keeps about s + 2 words, people count them.
  void write_table() {
    std::string table = "lp\tsystem\thuman\tref\thyp\n";
    for (const char* group : {"cs-en", "de-en"}) {
      for (std::size_t system = 0; system < 4; ++system) {
        for (std::size_t i = 0; i < 12; ++i) {
          const std::size_t kept = system + i % 3;
          table += std::string(group) + "\ts" + std::to_string(system) + "\t" +
                   std::to_string(static_cast<double>(kept) + 0.1 * static_cast<double>(i % 5)) + "\t" +
                   text(i, 6) + "\t" + text(i, kept) + "\n";
        }
      }
    }
    folder_.write("judged.tsv", table);
    request_.data = folder_.file("judged.tsv");
    request_.gold = "human";
    request_.reference = "ref";
    request_.hypothesis = "hyp";
    request_.group = "lp";
    request_.system = "system";
  }
  /// The layout of mt-metrics-eval: two references, four systems and people's own text among them.
  void write_folder() {
    for (const char* name : {"references", "system-outputs/en-de", "human-scores"})
      fs::create_directories(folder_.file(std::string("set/") + name));
    std::string reference, other, segments, systems;
    for (std::size_t i = 0; i < 10; ++i) {
      reference += text(i, 6) + "\n";
      other += text(i, 3) + "\n";
    }
    folder_.write("set/references/en-de.refA.txt", reference);
    folder_.write("set/references/en-de.refB.txt", other);
    folder_.write("set/system-outputs/en-de/refB.txt", other);
    folder_.write("set/system-outputs/en-de/unjudged.txt", reference);
    for (std::size_t system = 0; system < 5; ++system) {
      std::string output;
      const std::string name = "s" + std::to_string(system);
      for (std::size_t i = 0; i < 10; ++i) {
        output += text(i, system + i % 2) + "\n";
        segments += name + "\t" + (i == 9 ? "None" : std::to_string(system + i % 3)) + "\n";
      }
      folder_.write("set/system-outputs/en-de/" + name + ".txt", output);
      systems += name + "\t" + std::to_string(system) + "\n";
    }
    folder_.write("set/human-scores/en-de.mqm.seg.score", segments);
    folder_.write("set/human-scores/en-de.mqm.sys.score", systems);
    request_.data = folder_.file("set");
  }
  Json run() { return Json::parse(run_experiment(request_, {.threads = 2}).json()); }
  static Json table(const Json& study, const std::string& name) {
    for (const Json& one : study["tables"]) {
      if (one["name"] == name) return one;
    }
    return {};
  }
  void expect(ErrorCode code, const std::string& message) {
    EXPECT_ERROR(run_experiment(request_, {}), code, message);
  }

  TempFolder folder_;
  ExperimentRequest request_;
};

TEST_F(OwnStudy, OfATableHasAgreementMarksHeatQuartersAndJudgements) {
  write_table();
  const Json study = run();
  const Json agreement = table(study, "agreement");
  EXPECT_EQ(agreement["columns"], Json({"metric", "model", "source", "cs-en", "de-en", "mean"}));
  ASSERT_EQ(agreement["rows"].size(), 3u);
  for (const Json& row : agreement["rows"]) EXPECT_GT(row[5].get<double>(), 0.8) << row << ": ter is turned";
  const Json marks = table(study, "not-outperformed");
  EXPECT_EQ(marks["columns"], Json({"metric", "mean"})) << "perm-both, the test of correlate, is of the mean";
  std::size_t unbeaten = 0;
  for (const Json& row : marks["rows"]) unbeaten += row[1] == "yes" ? 1 : 0;
  EXPECT_GE(unbeaten, 1u) << "the best is outperformed by nobody";
  const Json heat = table(study, "metrics");
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(heat["rows"][i][i + 1].get<double>(), 1, 1e-12);
    EXPECT_DOUBLE_EQ(heat["rows"][i][1].get<double>(), heat["rows"][0][i + 1].get<double>());
  }
  const Json quarters = table(study, "by-human-quality");
  ASSERT_EQ(quarters["rows"].size(), 12u);
  for (std::size_t first = 0; first < 12; first += 4) {
    const double low = quarters["rows"][first][4], high = quarters["rows"][first + 3][4];
    EXPECT_EQ(low < high, quarters["rows"][first][0] != "ter")
        << "scores as they are: of ter lower is better";
  }
  const Json curve = table(study, "judgements");
  ASSERT_TRUE(curve.is_null()) << "96 rows in two groups: 25 and 48 judgements would be one point";
}

TEST(JudgementCurve, CanBeStopped) {
  meta::ScoreTable table;
  table.predicted.push_back({"metric", {}});
  for (std::size_t row = 0; row < 200; ++row) {
    table.gold.emplace_back(static_cast<double>(row));
    table.predicted[0].values.emplace_back(static_cast<double>(row % 7));
  }
  EXPECT_TRUE(study::judgement_curve(table, meta::Coefficient::kendall, 1));
  const std::atomic<bool> cancel{true};
  const CancelScope stoppable(&cancel);
  EXPECT_ERROR(study::judgement_curve(table, meta::Coefficient::kendall, 1), ErrorCode::cancelled,
               "stopped on request");
}

TEST_F(OwnStudy, LeavesOutSystemsWithoutAScoreOfAnySegment) {
  write_folder();
  fs::remove(folder_.file("set/human-scores/en-de.mqm.sys.score"));
  std::string segments;
  for (std::size_t system = 0; system < 5; ++system) {
    for (std::size_t i = 0; i < 10; ++i)
      segments +=
          "s" + std::to_string(system) + "\t" + (system == 2 ? "None" : std::to_string(system + i)) + "\n";
  }
  folder_.write("set/human-scores/en-de.mqm.seg.score", segments);
  request_.level = "system";
  EXPECT_EQ(run()["warnings"][0], "en-de: outputs left out, as they have no human score: 2");
}

TEST_F(OwnStudy, NeedsFewerJudgementsTheWiderTheInterval) {
  std::string lines = "human\tref\thyp\n";
  for (std::size_t i = 0; i < 240; ++i)
    lines += std::to_string(static_cast<double>(i % 7) + 0.01 * static_cast<double>(i * 37 % 101)) + "\t" +
             text(i, 6) + "\t" + text(i, (i % 7 + i / 60) % 7) + "\n";
  folder_.write("judged.tsv", lines);
  request_.data = folder_.file("judged.tsv");
  request_.gold = "human";
  request_.reference = "ref";
  request_.hypothesis = "hyp";
  const Json curve = table(run(), "judgements");
  EXPECT_EQ(curve["columns"], Json({"judgements", "chrf", "ter", "rouge1", "best found"}));
  ASSERT_EQ(curve["rows"].size(), 3u) << "25, 50, 100 of 240";
  EXPECT_GT(curve["rows"][0][1], curve["rows"][2][1]) << "the interval shrinks";
}

TEST_F(OwnStudy, ChoosesKOnOneHalfAndReportsItOnTheOther) {
  write_table();
  request_.group.clear();
  request_.system.clear();
  request_.encoder.model = write_tiny_model(folder_);
  request_.metrics = {"chrf", "words=me:samples=word,scope=segment"};
  request_.best_k = true;
  request_.max_k = 3;
  const Json chosen = table(run(), "best-k");
  ASSERT_EQ(chosen["rows"].size(), 2u) << "chrf has no K";
  // The same by hand: the rows of the halves, and the segments' scores with each K.
  Evaluator evaluator;
  std::vector<std::string> references, texts;
  std::vector<double> human;
  for (std::size_t group = 0; group < 2; ++group) {
    for (std::size_t system = 0; system < 4; ++system) {
      for (std::size_t i = 0; i < 12; ++i) {
        references.push_back(text(i, 6));
        texts.push_back(text(i, system + i % 3));
        human.push_back(static_cast<double>(system + i % 3) + 0.1 * static_cast<double>(i % 5));
      }
    }
  }
  ScoreRequest scoring;
  scoring.references = {{"r", Texts{references}}};
  scoring.systems = {{"s", Texts{texts}}};
  for (const char* k : {"1", "2", "3"})
    scoring.metrics.push_back(std::string("me.petersen:samples=word,scope=segment,k=") + k);
  scoring.segments = true;
  scoring.encoder = request_.encoder;
  const Report report = evaluator.score(scoring);
  const auto order = RandomStream(request_.seed, 0).permutation(static_cast<std::uint32_t>(human.size()));
  const auto agreement = [&](std::size_t half, std::size_t k) {
    std::vector<double> gold, predicted;
    for (std::size_t i = half * human.size() / 2; i < (half + 1) * human.size() / 2; ++i) {
      gold.push_back(human[order[i]]);
      predicted.push_back(report.results()[k - 1].segments[0].second[order[i]]);
    }
    return *meta::evaluate(meta::Coefficient::pearson, gold, predicted);
  };
  for (std::size_t half = 0; half < 2; ++half) {
    const Json& row = chosen["rows"][half];
    std::size_t k = 1;
    while (k < 3 && agreement(half, k + 1) >= agreement(half, k)) ++k;
    EXPECT_EQ(row[0], "words");
    EXPECT_EQ(row[2], k) << row;
    EXPECT_NE(row[1], row[3]);
    EXPECT_NEAR(row[4].get<double>(), agreement(1 - half, k), 1e-9) << "of the other half";
    EXPECT_NEAR(row[6].get<double>(), agreement(1 - half, 1), 1e-9) << "K as it is by default";
  }
  request_.metrics = {"chrf", "ter"};
  expect(ErrorCode::usage, "--best-k: none of the metrics has a K that is left open");
}

TEST_F(OwnStudy, OfSystemsScoresEachAsAWhole) {
  write_table();
  request_.level = "system";
  request_.metrics = {"bleu:smooth=floor", "chrf"};
  const Json study = run();
  const Json agreement = table(study, "agreement");
  for (const Json& row : agreement["rows"]) EXPECT_GT(row[3].get<double>(), 0.7);
  EXPECT_TRUE(table(study, "by-human-quality").is_null());
  request_.system = "";
  expect(ErrorCode::usage, "--level system of a table needs --system COLUMN");
}

// Each system has lines of its own, so that no run scores two of them: the size is that of the smallest.
TEST_F(OwnStudy, OfSystemsOfDifferentSizesSetMetricsDrawEquallyMany) {
  write_table();
  std::string table = "lp\tsystem\thuman\tref\thyp\n";
  for (std::size_t system = 0; system < 4; ++system) {
    for (std::size_t i = 0; i < (system == 3 ? 8u : 12u); ++i)
      table += "cs-en\ts" + std::to_string(system) + "\t" + std::to_string(system) + "\t" + text(i, 6) +
               "\t" + text(i, 2 + system) + "\n";
  }
  folder_.write("judged.tsv", table);
  request_.encoder.model = write_tiny_model(folder_);
  request_.level = "system";
  request_.metrics = {"fid", "chrf"};
  const StudyReport report = run_experiment(request_, {});
  const std::string warning =
      "systems differ in size (8 to 12 texts): set metrics compare 8 of each, drawn by chance";
  EXPECT_EQ(std::ranges::count(report.warnings(), warning), 1) << report.text();
  EXPECT_NE(report.json().find("|n:8|draws:10|"), std::string::npos) << report.text();
}

TEST_F(OwnStudy, ReadsAFolderOfMtMetricsEval) {
  write_folder();
  const StudyReport report = run_experiment(request_, {});
  const Json segments = Json::parse(report.json());
  EXPECT_EQ(table(segments, "agreement")["columns"][3], "en-de");
  EXPECT_NE(report.text().find("on 45 texts"), std::string::npos) << "5 systems, 9 judged segments\n"
                                                                  << report.text();
  ASSERT_EQ(report.warnings().size(), 2u);
  EXPECT_EQ(report.warnings()[0], "en-de: outputs left out, as they have no human score: 1");
  EXPECT_NE(report.warnings()[1].find("it needs 100 rows with a human score"), std::string::npos);
  request_.reference = "refA";
  const Json one_reference = run();
  EXPECT_NE(table(one_reference, "agreement")["rows"][0], table(segments, "agreement")["rows"][0]);
  request_.level = "system";
  EXPECT_GT(table(run(), "agreement")["rows"][0][3].get<double>(), 0.9);
}

TEST_F(OwnStudy, SaysWhatWasLookedForAndWhere) {
  write_folder();
  folder_.write("set/human-scores/en-de.da.seg.score", "s0\t1\n");
  expect(ErrorCode::usage, "several kinds of human scores, expected --gold NAME with one of da, mqm");
  request_.gold = "esa";
  expect(ErrorCode::usage, "set/human-scores: no human scores 'esa', there are da, mqm");
  request_.gold = "da";
  expect(ErrorCode::invalid_input, "en-de.da.seg.score: 1 scores of s0, expected 10");
  folder_.write("set/human-scores/en-de.da.seg.score", "s0\thigh\n");
  expect(ErrorCode::invalid_input, "en-de.da.seg.score:1: 'high' is no number and not None");
  folder_.write("set/human-scores/en-de.da.seg.score", "s0\n");
  expect(ErrorCode::invalid_input, "en-de.da.seg.score:1: expected SYSTEM SCORE");
  request_.gold = "mqm";
  request_.reference = "refC";
  expect(ErrorCode::invalid_input, "set/references: no reference en-de.refC.txt");
  request_.reference = "";
  folder_.write("set/system-outputs/en-de/s3.txt", "one line\n");
  expect(ErrorCode::invalid_input, "s3.txt: 1 lines, expected 10 as in the references of en-de");
  request_.parts = {"en-fr"};
  expect(ErrorCode::usage, "--part 'en-fr': no folder");
  fs::remove_all(folder_.file("set/human-scores"));
  expect(ErrorCode::invalid_input, "no folder human-scores/, expected references/LP.NAME.txt");
  request_.data = folder_.file("nowhere");
  expect(ErrorCode::usage, "nowhere: no such table or folder");
}

TEST_F(OwnStudy, RefusesWhatCannotBeCompared) {
  write_table();
  request_.metrics = {"chrf"};
  expect(ErrorCode::usage, "one metric, expected at least two to compare");
  request_.metrics = {"chrf", "me"};
  expect(ErrorCode::usage, "me scores a set as a whole, but segments were judged");
  request_.metrics = {"chrf", "ter"};
  request_.parts = {"fr-en"};
  expect(ErrorCode::usage, "--part 'fr-en': no row of");
  request_.parts = {};
  request_.hypothesis = "";
  expect(ErrorCode::usage, "a table needs --gold COLUMN --ref COLUMN --hyp COLUMN");
  folder_.write("judged.tsv", "human\tref\thyp\n1\ta\tb\n2\ta\tc\n");
  request_.hypothesis = "hyp";
  request_.group = request_.system = "";
  expect(ErrorCode::invalid_input, "all has 2 judged segments, expected at least 4");
  request_.data = folder_.write("judged.jsonl", R"({"human": 1, "ref": "a", "hyp": ["b", "c"]})");
  expect(ErrorCode::invalid_input, "judged.jsonl: row 1 has 2 texts in 'hyp', expected one");
}

TEST_F(OwnStudy, PutsTheMetricThatAgreesBestFirstEverywhere) {
  write_table();
  request_.metrics = {"ter", "rouge1", "chrf"};
  const Json study = run();
  const Json rows = table(study, "agreement")["rows"];
  for (std::size_t i = 0; i < 3; ++i) {
    if (i > 0) {
      EXPECT_GE(rows[i - 1].back().get<double>(), rows[i].back().get<double>());
    }
    EXPECT_EQ(table(study, "not-outperformed")["rows"][i][0], rows[i][0]);
    EXPECT_EQ(table(study, "metrics")["rows"][i][0], rows[i][0]);
  }
}

TEST_F(OwnStudy, SaysAgreesBestOnlyWhereATestSupportsIt) {
  write_table();
  request_.page = true;
  request_.metrics = {"rouge1", "rouge1:multi=mean"};  // the same scores
  const std::string alike = run_experiment(request_, {}).html({"markeval"});
  EXPECT_NE(alike.find("is highest with people (Pearson 0.9"), std::string::npos)
      << alike.substr(alike.find("<h1>"), 300);
  EXPECT_NE(alike.find("but the test does not separate it from rouge1"), std::string::npos);
  request_.metrics = {"rouge1", "rouge2"};
  const std::string apart = run_experiment(request_, {}).html({"markeval"});
  EXPECT_NE(apart.find("<h1>rouge1 agrees best with people (Pearson 0.9"), std::string::npos)
      << apart.substr(apart.find("<h1>"), 300);
  for (const char* title : {"Metrics with each other", "By human quality", "<summary>3 signatures</summary>"})
    EXPECT_NE(apart.find(title), std::string::npos) << title;
}

TEST_F(OwnStudy, HasAPageWithAHeatMap) {
  write_table();
  request_.page = true;
  const std::string page = run_experiment(request_, {}).html({"markeval"});
  EXPECT_NE(page.find("Heat map: "), std::string::npos);
  EXPECT_NE(page.find("lowest quarter"), std::string::npos);
}

TEST_F(OwnStudy, GivesTheSameBitsForAnyNumberOfThreads) {
  write_table();
  request_.coefficient = "kendall";
  const std::string one = run_experiment(request_, {.threads = 1}).json();
  EXPECT_EQ(run_experiment(request_, {.threads = 5}).json(), one);
  EXPECT_NE(one.find("perm-both"), std::string::npos);
}

}  // namespace
}  // namespace markeval
