// The studies on small invented data, with the small BERT of tests/encoder.
#include "study/experiment.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "api/markeval.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_model.hpp"

namespace markeval {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const char* const kWords[] = {"ant", "bee", "cat",  "dog", "eel",  "fox",
                              "gnu", "hen", "ibis", "jay", "kite", "lynx"};

class Experiment : public ::testing::Test {
 protected:
  Experiment() {
    for (const char* name : {"mnli", "wmt17/seglevel", "wmt17/newstest2017_raw", "tac", "d2t"})
      fs::create_directories(folder_.file(name));
    request_.data = folder_.path();
    request_.encoder.model = write_tiny_model(folder_);
    request_.encoder.cache = "none";
  }
  static std::string word(std::size_t i) { return kWords[i % std::size(kWords)]; }
  /// Rows of two genres; `offset` makes the two files differ.
  void write_mnli(const std::string& name, std::size_t offset) {
    std::string text = "genre\tid\tlabel\tpremise\thypothesis\n";
    for (std::size_t i = 0; i < 24; ++i) {
      text += i % 2 == 0 ? "fiction\t" : "travel\t";
      text += std::to_string(i) + "\t0\t" + word(i) + " saw " + word(i / 2 + offset) + " run\t" +
              word(i + 1) + " met " + word(i / 3 + offset) + "\n";
    }
    folder_.write("mnli/" + name, text);
  }
  void write_mnli() {
    write_mnli("mnli_train_subset.tsv", 0);
    write_mnli("mnli_dev_matched.tsv", 5);
  }
  void write_wmt17(const std::string& pair) {
    std::string text = "lp\tsid\tsystem\thuman\tsrc\tref\thyp\n";
    for (std::size_t i = 0; i < 8; ++i) {
      text += pair + "\t" + std::to_string(i) + "\ta\t" + std::to_string(8 - i) + "\tx\t" + word(i) +
              " and " + word(i + 1) + "\t" + word(i) + (i < 4 ? " and " : " or ") +
              word(i < 6 ? i + 1 : i + 2) + "\n";
    }
    folder_.write("wmt17/seglevel/" + pair + ".tsv", text);
  }
  void write_wmt17_systems() {
    std::string text = "sid\tsrc\tref\tgood.1\tpoor.2\tunjudged.3\n";
    for (std::size_t i = 0; i < 6; ++i) {
      text += std::to_string(i) + "\tx\t" + word(i) + " ran\t" + word(i) + " ran\t" + word(i) + " sat\t-\n";
    }
    folder_.write("wmt17/newstest2017_raw/cs-en.tsv", text);
    folder_.write("wmt17/DA-syslevel.csv",
                  "LP HUMAN SYSTEM\ncs-en 0.5 good.1\ncs-en -0.5 poor.2\nde-en 1 good.1\n");
  }
  void write_tac() {
    std::string references, summaries;
    for (const char* topic : {"D1", "D2"}) {
      for (std::size_t i = 0; i < 2; ++i)
        references +=
            Json{{"topic", topic}, {"ref_id", i}, {"text", word(i) + " " + word(i + 1)}}.dump() + "\n";
      for (std::size_t i = 0; i < 5; ++i) {
        summaries += Json{{"topic", topic},
                          {"system", std::to_string(i)},
                          {"human_written", i == 0},
                          {"pyr_score", 5.0 - static_cast<double>(i)},
                          {"responsiveness", i == 4 ? 1.0 : 3.0 - static_cast<double>(i % 2)},
                          {"n_sent", i == 3 ? 1 : 2},
                          {"text", word(0) + " " + word(i + 1)}}
                         .dump() +
                     "\n";
      }
    }
    folder_.write("tac/tac09_references.jsonl", references);
    folder_.write("tac/tac09_summaries.jsonl", summaries);
  }
  void write_data_to_text() {
    std::string text;
    for (std::size_t i = 0; i < 6; ++i) {
      text += Json{{"refs", {word(i) + " ran", word(i) + " ran", word(i) + " sat"}},
                   {"hyp", word(i) + (i % 2 == 0 ? " ran" : " fled far")},
                   {"informativeness", i % 2 == 0 ? 6 : 2},
                   {"naturalness", i},
                   {"quality", 3 + i % 3}}
                  .dump() +
              "\n";
    }
    folder_.write("d2t/BAGEL.jsonl", text);
  }
  /// The whole of a study with one thread and with five.
  void expect_same_bits(const std::string& study) {
    SCOPED_TRACE(study);
    request_.study = study;
    const std::string one = run_experiment(request_, {.threads = 1}).json();
    EXPECT_EQ(run_experiment(request_, {.threads = 5}).json(), one);
  }
  Json run(const std::string& study) {
    request_.study = study;
    return Json::parse(run_experiment(request_, {.threads = 2}).json());
  }
  void expect(const std::string& study, ErrorCode code, const std::string& message) {
    request_.study = study;
    EXPECT_ERROR(run_experiment(request_, {}), code, message);
  }

  TempFolder folder_;
  ExperimentRequest request_;
};

TEST_F(Experiment, KSweepIsThatOfOneScoreAtATime) {
  write_mnli();
  request_.size = 20;
  request_.max_k = 6;
  const Json json = run("k-sweep");
  EXPECT_EQ(json["tables"][0]["columns"],
            Json({"k", "petersen", "schnabel_qual", "schnabel_div", "capture"}));
  ASSERT_EQ(json["tables"][0]["rows"].size(), 6u);
  request_.max_k = 3;
  EXPECT_EQ(run("k-sweep")["tables"][0]["rows"][2], json["tables"][0]["rows"][2]);
  EXPECT_EQ(json["tables"][1]["name"], "estimates");
  EXPECT_GE(json["tables"][0]["rows"][5][1].get<double>(), json["tables"][0]["rows"][0][1].get<double>());
  EXPECT_EQ(run("k-sweep"), run("k-sweep")) << "seeded";
  request_.seed = 1;
  EXPECT_NE(run("k-sweep")["tables"], json["tables"]);
}

TEST_F(Experiment, KSweepNamesTheLargestKThatFits) {
  write_mnli();
  request_.size = 6;
  request_.max_k = 6;
  expect("k-sweep", ErrorCode::usage, "--max-k 6, expected at most 5 with 6 sentences in each set (--size)");
}

TEST_F(Experiment, ModeCollapseDropsGenres) {
  write_mnli();
  request_.metrics = {"me", "fid"};
  request_.repeats = 2;
  const Json tables = run("mode-collapse")["tables"];
  const Json& table = tables[0];
  EXPECT_EQ(table["columns"],
            Json({"dropped", "me.petersen", "me.schnabel_qual", "me.schnabel_div", "me.capture", "fid.fid"}));
  ASSERT_EQ(table["rows"].size(), 2u) << "two genres: none or one dropped";
  EXPECT_EQ(tables[1]["name"], "scores-spread");
  EXPECT_EQ(tables[1]["columns"], table["columns"]);
  ASSERT_EQ(tables[1]["rows"].size(), 2u);
  EXPECT_EQ(tables[1]["rows"][1][0], 1);
}

TEST_F(Experiment, WordSwapIsTheMeanOfDrawsOfTheNextSeeds) {
  write_mnli();
  request_.size = 12;
  request_.metrics = {"fid"};
  request_.repeats = 1;
  const Json first = run("word-swap")["tables"];
  ASSERT_EQ(first.size(), 1u) << "one draw has no spread";
  ++request_.seed;
  const Json second = run("word-swap")["tables"];
  --request_.seed;
  request_.repeats = 2;
  const Json both = run("word-swap")["tables"];
  ASSERT_EQ(both.size(), 2u);
  for (const std::size_t step : {0u, 7u}) {
    const double a = first[0]["rows"][step][1].get<double>(), b = second[0]["rows"][step][1].get<double>();
    EXPECT_NE(a, b);
    EXPECT_DOUBLE_EQ(both[0]["rows"][step][1].get<double>(), (a + b) / 2);
    EXPECT_NEAR(both[1]["rows"][step][1].get<double>(), std::abs(a - b) / std::sqrt(2), 1e-9);
  }
}

TEST_F(Experiment, WordSwapHasElevenSteps) {
  write_mnli();
  request_.size = 12;
  request_.metrics = {"impar"};
  const Json table = run("word-swap")["tables"][0];
  ASSERT_EQ(table["rows"].size(), 11u);
  EXPECT_EQ(table["rows"][3][0], 0.3);
}

TEST_F(Experiment, Wmt17SegmentsBesideThePapers) {
  for (const char* pair : {"cs-en", "de-en"}) write_wmt17(pair);
  request_.parts = {"cs-en", "de-en"};
  request_.metrics = {"chrf", "ter", "me:samples=word,scope=segment"};
  request_.best_k = true;
  request_.max_k = 4;
  const Json json = run("wmt17");
  const Json& table = json["tables"][0];
  EXPECT_EQ(table["columns"], Json({"metric", "model", "source", "cs-en", "de-en", "mean"}));
  EXPECT_EQ(table["rows"][0][0], "chrf");
  EXPECT_EQ(table["rows"][0][1], "-");
  EXPECT_GT(table["rows"][0][3].get<double>(), 0);
  EXPECT_GT(table["rows"][1][3].get<double>(), 0) << "fewer edits are better";
  EXPECT_EQ(table["rows"][2][0], "me:samples=word,scope=segment.petersen");
  Json tool;
  for (const Json& row : table["rows"]) {
    if (row[2] == "the public tool") tool = row;
  }
  EXPECT_EQ(tool[3], 0.603);
  EXPECT_DOUBLE_EQ(tool[5].get<double>(), (0.603 + tool[4].get<double>()) / 2)
      << "a paper's mean is over the parts shown";
  EXPECT_EQ(json["tables"][1]["name"], "wmt17-segment-not-outperformed");
  EXPECT_EQ(json["tables"][2]["rows"].size(), 4u) << "the curve over K";
  const Json& best = json["tables"][3];
  ASSERT_EQ(best["rows"].size(), 4u) << "one for each estimator";
  const std::size_t k = best["rows"][0][3].get<std::size_t>();
  const Json& curve = json["tables"][2]["rows"];
  if (k < 4 && curve[k][1].is_number()) {
    EXPECT_LT(curve[k][1].get<double>(), curve[k - 1][1].get<double>());
  }
  request_.parts = {"cz-en"};
  expect("wmt17", ErrorCode::usage, "unknown part 'cz-en'; did you mean 'cs-en'?");
  request_.parts = {"fi-en"};
  expect("wmt17", ErrorCode::io, "fi-en.tsv");
  request_.metrics = {"me"};
  expect("wmt17", ErrorCode::usage, "me scores a set as a whole, but people judged segments");
}

TEST_F(Experiment, Wmt17SystemsThatHaveTextAndScore) {
  write_wmt17_systems();
  request_.level = "system";
  request_.parts = {"cs-en"};
  request_.metrics = {"chrf"};
  EXPECT_EQ(run("wmt17")["tables"][0]["rows"][0][3], 1.0);
  folder_.write("wmt17/DA-syslevel.csv", "LP HUMAN SYSTEM\ncs-en half good.1\n");
  expect("wmt17", ErrorCode::invalid_input, "DA-syslevel.csv:2: 'half' is no number");
  folder_.write("wmt17/DA-syslevel.csv", "LP HUMAN SYSTEM\ncs-en nan good.1\n");
  expect("wmt17", ErrorCode::invalid_input, "DA-syslevel.csv:2: 'nan' is no number");
  folder_.write("wmt17/DA-syslevel.csv", "LP HUMAN\n");
  expect("wmt17", ErrorCode::invalid_input, "DA-syslevel.csv:1: 2 fields, expected LP HUMAN SYSTEM");
  folder_.write("wmt17/DA-syslevel.csv", "LP HUMAN SYSTEM\ncs-en 1 good.1\n");
  expect("wmt17", ErrorCode::invalid_input, "1 systems with a human score, expected at least 2");
  request_.level = "document";
  expect("wmt17", ErrorCode::usage, "unknown level 'document'");
}

TEST_F(Experiment, Wmt17SegmentsOutOfEnglishBesideThePapers) {
  for (const char* pair : {"cs-en", "en-ru", "en-zh"}) write_wmt17(pair);
  request_.parts = {"en-ru", "en-zh"};
  request_.metrics = {"chrf"};
  const Json table = run("wmt17")["tables"][0];
  EXPECT_EQ(table["columns"], Json({"metric", "model", "source", "en-ru", "en-zh", "mean"}));
  EXPECT_GT(table["rows"][0][3].get<double>(), 0);
  EXPECT_EQ(table["rows"][2],
            Json({"chrF", "-", "Mathur et al. 2019, Table 2", 0.605, 0.608, (0.605 + 0.608) / 2}));
  request_.level = "system";
  expect("wmt17", ErrorCode::usage, "en-ru has judged segments only");
}

TEST_F(Experiment, VariantsOfAMetricKeepTheirOwnScores) {
  folder_.write("wmt17/newstest2017_raw/cs-en.tsv",
                "sid\tsrc\tref\ta.1\tb.2\tc.3\td.4\n"
                "0\tx\tthe old cat sat\tthe old cat sat\tthe cat old sat\tsat cat dlo eht\tcats\n"
                "1\tx\ta dog ran off\tdogs run\ta dog ran far\toff ran dog a\ta dog\n");
  folder_.write("wmt17/DA-syslevel.csv",
                "LP HUMAN SYSTEM\ncs-en 0.4 a.1\ncs-en 0.9 b.2\ncs-en -0.5 c.3\ncs-en 0.1 d.4\n");
  request_.level = "system";
  request_.parts = {"cs-en"};
  const auto rows_of = [&](std::vector<Metric> metrics) {
    request_.metrics = std::move(metrics);
    return run("wmt17")["tables"][0]["rows"];
  };
  const Json alone = rows_of({"chrf"})[0], other = rows_of({"chrf:char_order=1"})[0];
  const Json both = rows_of({"chrf:char_order=1", "chrf"});
  ASSERT_NE(alone[3], other[3]);
  EXPECT_EQ(both[0], other);
  EXPECT_EQ(both[1], alone);
}

TEST_F(Experiment, VariantsOfAMetricHaveTheirOwnCurvesOverK) {
  write_wmt17("cs-en");
  request_.parts = {"cs-en"};
  request_.best_k = true;
  request_.max_k = 2;
  request_.study = "wmt17";
  request_.metrics = {"me:samples=word,scope=segment", "me:samples=word,scope=segment,layers=1"};
  std::set<std::string> names;
  for (const auto& [name, contents] : run_experiment(request_, {}).files())
    EXPECT_TRUE(names.insert(name).second) << name;
  EXPECT_TRUE(names.contains("wmt17-wmt17-segment-mean-me-samples=word-scope=segment-layers=1-by-k.tsv"));
}

TEST_F(Experiment, TacAveragesOverTopics) {
  write_tac();
  request_.parts = {"2009"};
  request_.metrics = {"rouge1"};
  const Json tables = run("tac")["tables"], table = tables[0];
  EXPECT_EQ(table["name"], "tac-2009");
  EXPECT_EQ(table["columns"][3], "responsiveness pearson");
  EXPECT_EQ(table["columns"][6], "pyramid pearson");
  EXPECT_TRUE(table["rows"][0][6].is_number());
  EXPECT_EQ(tables[1]["name"], "tac-2009-without-people");
  EXPECT_EQ(tables[2]["name"], "tac-2009-other-references");
  EXPECT_NE(tables[1]["rows"][0][6], table["rows"][0][6]);
  folder_.write("tac/tac09_references.jsonl", Json{{"topic", "D1"}, {"text", "a"}}.dump() + "\n");
  expect("tac", ErrorCode::invalid_input, "topic D2 has no reference in");
}

TEST_F(Experiment, DataToTextReadsListsOfReferencesOnce) {
  write_data_to_text();
  request_.parts = {"BAGEL"};
  request_.metrics = {"chrf", "me:samples=word,scope=segment,multi=max"};
  const Json table = run("data-to-text")["tables"][0];
  EXPECT_EQ(table["columns"][3], "informativeness spearman");
  EXPECT_GT(table["rows"][0][3].get<double>(), 0.9);
}

TEST_F(Experiment, GivesTheSameBitsForAnyNumberOfThreads) {
  write_mnli();
  request_.size = 20;
  request_.max_k = 4;
  for (const char* study : {"k-sweep", "mode-collapse", "word-swap"}) expect_same_bits(study);
  for (const char* pair : {"cs-en", "de-en"}) write_wmt17(pair);
  request_.metrics = {"chrf", "bertscore", "moverscore", "me:samples=word,scope=segment"};
  request_.parts = {"cs-en", "de-en"};
  request_.best_k = true;
  expect_same_bits("wmt17");
  write_tac();
  request_.parts = {"2009"};
  expect_same_bits("tac");
  write_data_to_text();
  request_.parts = {"BAGEL"};
  expect_same_bits("data-to-text");
  write_wmt17_systems();
  request_.parts = {"cs-en"};
  request_.level = "system";
  request_.metrics = {"chrf", "bertscore", "me:samples=word", "prd:clusters=2", "fid"};
  expect_same_bits("wmt17");
}

TEST_F(Experiment, HasAPageOnlyWhereAskedFor) {
  write_mnli();
  request_.study = "k-sweep";
  request_.size = 12;
  request_.max_k = 3;
  EXPECT_THROW(static_cast<void>(run_experiment(request_, {}).html()), Error);
  request_.page = true;
  const std::string page = run_experiment(request_, {}).html({"markeval", "experiment"});
  for (const char* part :
       {"train_<wbr>subset.tsv", "dev_<wbr>matched.tsv", "Line chart", ">experiment</span>", "me|k:1"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
}

TEST_F(Experiment, RowsOfSeveralModelsStandInOneTable) {
  write_wmt17("cs-en");
  fs::create_directories(folder_.file("glove"));
  folder_.write("glove/glove.subset.100d.txt", "ant 1 0\nbee 0 1\ncat 1 1\nand 2 1\n");
  fs::copy(request_.encoder.model, folder_.file("other"));
  request_.also = {folder_.file("other")};
  request_.parts = {"cs-en"};
  request_.metrics = {"chrf", "me:samples=word,scope=segment", "bertr",
                      "rougeWE:embeddings=" + folder_.file("glove/glove.subset.100d.txt")};
  const Json rows = run("wmt17")["tables"][0]["rows"];
  std::vector<std::string> found;
  for (const Json& row : rows) {
    if (row[2] == "markeval") found.push_back(row[0].get<std::string>() + " " + row[1].get<std::string>());
  }
  EXPECT_EQ(found,
            (std::vector<std::string>{"chrf -", "me:samples=word,scope=segment.petersen tiny",
                                      "me:samples=word,scope=segment.schnabel_qual tiny",
                                      "me:samples=word,scope=segment.schnabel_div tiny",
                                      "me:samples=word,scope=segment.capture tiny", "bertr.recall tiny",
                                      "rougeWE:embeddings=glove/glove.subset.100d.txt.precision "
                                      "glove.subset.100d.txt",
                                      "rougeWE:embeddings=glove/glove.subset.100d.txt.recall "
                                      "glove.subset.100d.txt",
                                      "rougeWE:embeddings=glove/glove.subset.100d.txt.f1 "
                                      "glove.subset.100d.txt",
                                      "me:samples=word,scope=segment.petersen other",
                                      "me:samples=word,scope=segment.schnabel_qual other",
                                      "me:samples=word,scope=segment.schnabel_div other",
                                      "me:samples=word,scope=segment.capture other", "bertr.recall other"}));
  EXPECT_EQ(rows[1][3], rows[9][3]) << "the same model under another name";
}

TEST_F(Experiment, WrongWordsAndMissingDataAreNamed) {
  write_mnli();
  folder_.write("mnli/mnli_dev_matched.tsv", "genre\tpremise\thypothesis\nfiction\t\t\n");
  expect("mode-collapse", ErrorCode::invalid_input, "mnli_dev_matched.tsv: all sentences are empty");
  fs::remove(folder_.file("mnli/mnli_train_subset.tsv"));
  expect("k-swep", ErrorCode::usage, "unknown study 'k-swep'; did you mean 'k-sweep'?");
  expect("k-sweep", ErrorCode::io, "mnli_train_subset.tsv");
  write_mnli();
  request_.size = 1000;
  expect("k-sweep", ErrorCode::usage, "size 1000: the data have");
  request_.data = folder_.file("nowhere");
  expect("k-sweep", ErrorCode::usage, "nowhere: no such folder");
  request_.data = "";
  expect("k-sweep", ErrorCode::usage, "no data given");
}

}  // namespace
}  // namespace markeval
