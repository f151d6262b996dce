// Studies where people's own texts stand beside those of systems: tac and language-generation.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "api/markeval.hpp"
#include "study/experiment.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_model.hpp"

namespace markeval {
namespace {

using Json = nlohmann::json;

class PeopleStudy : public ::testing::Test {
 protected:
  PeopleStudy() {
    for (const char* name : {"tac", "lm_samples", "coco"})
      std::filesystem::create_directories(folder_.file(name));
    request_.data = folder_.path();
  }
  Json run(const std::string& study) {
    request_.study = study;
    return Json::parse(run_experiment(request_, {.threads = 2}).json());
  }
  void use_tiny_model() {
    request_.encoder.model = write_tiny_model(folder_);
    request_.encoder.cache = "none";
  }
  /// Sentences of three words; `words` many different ones.
  static std::string lines(std::size_t count, std::size_t words) {
    const auto word = [&](std::size_t i) {
      return std::string{static_cast<char>('a' + i % words % 26), static_cast<char>('a' + i % words / 26)};
    };
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += word(i) + " saw " + word(i / 2) + "\n";
    return text;
  }

  TempFolder folder_;
  ExperimentRequest request_;
};

// The person's summary is its topic's first reference. With one metric and three texts the values follow from
// the definitions: against itself it is the best text, against the other reference the worst.
TEST_F(PeopleStudy, TacScoresAPersonsSummaryAgainstTheOtherReferencesToo) {
  std::string summaries;
  const auto add = [&](const std::string& text, bool person, int pyramid, int sentences = 2) {
    summaries += Json{{"topic", "D1"},       {"human_written", person}, {"pyr_score", pyramid},
                      {"responsiveness", 1}, {"n_sent", sentences},     {"text", text}}
                     .dump() +
                 "\n";
  };
  add("one two three four", true, 5);
  add("five six seven eat", false, 4);
  add("five six ten eleven", false, 1);
  std::string references;
  for (const char* text : {"one two three four", "five six seven eight"})
    references += Json{{"topic", "D1"}, {"text", text}}.dump() + "\n";
  folder_.write("tac/tac09_references.jsonl", references);
  folder_.write("tac/tac09_summaries.jsonl", summaries);
  request_.parts = {"2009"};
  request_.metrics = {"rouge1"};
  const Json tables = run("tac")["tables"];
  const auto pyramid = [&](std::size_t table) { return tables[table]["rows"][2][6].get<double>(); };
  EXPECT_NEAR(pyramid(0), 0.9607689228305228, 1e-12);   // 1, .75, .5 against 5, 4, 1
  EXPECT_NEAR(pyramid(1), 1, 1e-12);                    // .75, .5 against 4, 1
  EXPECT_NEAR(pyramid(2), -0.4193139346887674, 1e-12);  // 0, .75, .5
  EXPECT_NE(tables[3]["name"], "tac-2009-all") << "no summary has one sentence";

  add("five twelve thirteen fourteen", false, 0, 1);
  folder_.write("tac/tac09_summaries.jsonl", summaries);
  const Json more = run("tac")["tables"];
  for (std::size_t table = 0; table < 3; ++table) EXPECT_EQ(more[table]["rows"], tables[table]["rows"]);
  EXPECT_EQ(more[3]["name"], "tac-2009-all");
  EXPECT_NEAR(more[3]["rows"][2][6].get<double>(), 0.97618706018395284,
              1e-12);  // 1, .75, .5, .25 against 5, 4, 1, 0
  EXPECT_EQ(more[3]["rows"][3], tables[0]["rows"][3]) << "the papers' rows, beside both";
  EXPECT_EQ(more[4]["name"], "tac-2009-all-without-people");
  EXPECT_NEAR(more[4]["rows"][2][6].get<double>(), 0.96076892283052284,
              1e-12);  // .75, .5, .25 against 4, 1, 0
  EXPECT_EQ(more[4]["rows"].size(), tables[1]["rows"].size());
}

TEST_F(PeopleStudy, LanguageGenerationComparesModelsAndPeopleAtTheSameSize) {
  use_tiny_model();
  folder_.write("lm_samples/people.txt", lines(40, 40));
  folder_.write("lm_samples/varied.txt", lines(30, 30));
  folder_.write("lm_samples/dull.txt", lines(30, 2));
  request_.metrics = {"me", "fid"};
  request_.size = 12;
  request_.repeats = 3;
  const Json study = run("language-generation");
  const Json means = study["tables"][0], spreads = study["tables"][1], order = study["tables"][2];
  EXPECT_EQ(means["name"], "of-12");
  ASSERT_EQ(means["rows"].size(), 3u);
  EXPECT_EQ(means["rows"][0][0], "(people)");
  EXPECT_EQ(means["rows"][1][0], "dull");
  EXPECT_EQ(means["columns"].size(), 6u);
  EXPECT_GT(spreads["rows"][2][5].get<double>(), 0) << "three draws differ";
  EXPECT_EQ(order["rows"][0][1], "yes") << "one size";
  EXPECT_EQ(order["rows"][4][2], "varied > dull") << "fid: lower is better";
  EXPECT_EQ(study["tables"][4]["name"], "of-12-above-fid");
  EXPECT_EQ(study["tables"][4]["rows"], (Json{{"dull", nullptr, 0.0}, {"varied", 1.0, nullptr}}));
  EXPECT_EQ(run("language-generation"), study) << "seeded";
}

TEST_F(PeopleStudy, LanguageGenerationMarksAnOrderThatTheDrawsDoNotShare) {
  use_tiny_model();
  folder_.write("lm_samples/people.txt", lines(40, 40));
  for (const char* name : {"one", "twin"})
    folder_.write(std::string("lm_samples/") + name + ".txt", lines(30, 30));
  folder_.write("lm_samples/dull.txt", lines(30, 2));
  request_.metrics = {"fid"};
  request_.size = 12;
  request_.repeats = 6;
  const Json tables = run("language-generation")["tables"];
  const std::string order = tables[2]["rows"][0][2];
  EXPECT_TRUE(order == "one ~ twin > dull" || order == "twin ~ one > dull") << order;
  const double one = tables[3]["rows"][1][3], twin = tables[3]["rows"][2][2];  // of dull, one, twin
  EXPECT_TRUE(one > 0 && one < 1) << one;
  EXPECT_NEAR(one + twin, 1, 1e-12) << "no draw has the two level";
}

TEST_F(PeopleStudy, LanguageGenerationReadsCaptionsWhereNoTextsOfPeopleAreGiven) {
  use_tiny_model();
  std::string captions;
  for (std::size_t i = 0; i < 12; ++i)
    captions += Json{{"refs", {"A dog, number " + std::to_string(i) + ".", "Cat " + std::to_string(i)}},
                     {"human", "A bird " + std::to_string(i)}}
                    .dump() +
                "\n";
  folder_.write("coco/karpathy_test_captions.jsonl", captions);
  folder_.write("lm_samples/model.txt", lines(30, 30));
  request_.metrics = {"fid"};
  request_.repeats = 1;
  const Json study = run("language-generation");
  EXPECT_EQ(study["tables"][0]["name"], "of-15") << "half of 36 captions, less those of one image";
  EXPECT_NE(std::string(study["about"]).find("captions of COCO by people"), std::string::npos);
  request_.size = 16;
  EXPECT_ERROR(run("language-generation"), ErrorCode::usage, "size 16: the data have 15 texts for each set");
}

TEST_F(PeopleStudy, LanguageGenerationSaysWhatItExpects) {
  std::filesystem::remove_all(folder_.file("lm_samples"));
  EXPECT_ERROR(run("language-generation"), ErrorCode::io, "lm_samples: no such folder");
  std::filesystem::create_directories(folder_.file("lm_samples"));
  folder_.write("lm_samples/people.txt", lines(8, 8));
  EXPECT_ERROR(run("language-generation"), ErrorCode::invalid_input, "expected NAME.txt of each model");
}

}  // namespace
}  // namespace markeval
