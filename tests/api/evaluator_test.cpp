#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "api/markeval.hpp"
#include "support/examples.hpp"
#include "support/temp_folder.hpp"

namespace markeval {
namespace {

Input example(const std::string& name) {
  return {"", kExamples + "/" + name + ".npy"};
}

TEST(Evaluator, ScoresFilesInOrder) {
  Evaluator evaluator;
  const Report report = evaluator.score({.references = {example("reference")},
                                         .systems = {example("good"), example("poor")},
                                         .metrics = {"me:k=2", "fid"}});
  ASSERT_EQ(report.results().size(), 4u);
  EXPECT_EQ(report.results()[0].system, "good");
  EXPECT_EQ(report.results()[1].metric, "fid");
  EXPECT_EQ(report.results()[2].requested, "me:k=2");
  EXPECT_GT(report.score("good", "me", "petersen"), report.score("poor", "me:k=2", "petersen"));
  EXPECT_LT(report.score("good", "fid", "fid"), report.score("poor", "fid", "fid"));
  EXPECT_TRUE(report.warnings().empty());
  EXPECT_NE(report.text({.details = true}).find("petersen"), std::string::npos);
}

TEST(Evaluator, ScoresRowsInMemoryOfBothTypes) {
  const std::vector<float> narrow{0, 0, 1, 0, 0, 2};
  const std::vector<double> wide(narrow.begin(), narrow.end());
  Evaluator evaluator({.threads = 1});
  const Report report = evaluator.score({.references = {{"r", Rows<float>{narrow, 2}}},
                                         .systems = {{"mine", Rows<double>{wide, 2}}},
                                         .metrics = {"me"}});
  EXPECT_EQ(report.score("mine", "me", "petersen"), 1);
}

TEST(Evaluator, SeveralReferencesAreTheirUnion) {
  const std::vector<float> all{0, 1, 3, 7, 20, 22}, first{0, 1, 3}, second{7, 20, 22}, mine{0.5f, 2, 8, 21};
  Evaluator evaluator;
  const Source system = Rows<float>{mine, 1};
  const Report whole = evaluator.score(
      {.references = {{"", Rows<float>{all, 1}}}, .systems = {{"a", system}}, .metrics = {"me", "prdc:k=2"}});
  const Report parts =
      evaluator.score({.references = {{"", Rows<float>{first, 1}}, {"", Rows<float>{second, 1}}},
                       .systems = {{"a", system}},
                       .metrics = {"me", "prdc:k=2"}});
  EXPECT_EQ(whole.tsv(), parts.tsv());
}

TEST(Evaluator, CompatPrdcMeansOpenBalls) {
  Evaluator evaluator;
  ScoreRequest request{
      .references = {example("reference")}, .systems = {example("reference")}, .metrics = {"prdc:k=1"}};
  EXPECT_EQ(evaluator.score(request).score("reference", "prdc", "precision"), 1);
  request.compat = "prdc";
  const Report open = evaluator.score(request);
  EXPECT_NE(open.results()[0].signature().find("|ball:open|"), std::string::npos);
  request.metrics = {"prdc:ball=closed"};
  EXPECT_ERROR(evaluator.score(request), ErrorCode::usage, "prdc:ball=closed contradicts compat prdc");
  request.metrics = {"me"};
  EXPECT_ERROR(evaluator.score(request), ErrorCode::usage, "compat prdc changes nothing");
  request.compat = "prcd";
  EXPECT_ERROR(evaluator.score(request), ErrorCode::usage, "unknown compat 'prcd'; did you mean 'prdc'?");
}

TEST(Evaluator, WarningsReachReportAndObserver) {
  class Listener : public Observer {
   public:
    void warning(const std::string& message) override { heard.push_back(message); }
    std::vector<std::string> heard;
  } listener;
  const std::vector<float> rows{0, 1, 2, 3};
  Evaluator evaluator;
  const Report report = evaluator.score({.references = {{"r", Rows<float>{rows, 1}}},
                                         .systems = {{"s", Rows<float>{rows, 1}}},
                                         .metrics = {"prdc"},
                                         .clamp_k = true},
                                        &listener);
  EXPECT_EQ(report.warnings(), listener.heard);
  EXPECT_EQ(report.warnings().size(), 1u);
}

TEST(Evaluator, WrongRequestsAreUsageErrors) {
  Evaluator evaluator;
  const auto expect = [&](const ScoreRequest& request, const std::string& part) {
    EXPECT_ERROR(evaluator.score(request), ErrorCode::usage, part);
  };
  const Input r = example("reference"), s = example("good");
  expect({.references = {}, .systems = {s}, .metrics = {"me"}}, "no reference given");
  expect({.references = {r}, .systems = {}, .metrics = {"me"}}, "no system given");
  expect({.references = {r}, .systems = {s}, .metrics = {}}, "no metric given");
  expect({.references = {r}, .systems = {s, s}, .metrics = {"me"}}, "two systems are named 'good'");
  expect({.references = {r}, .systems = {s}, .metrics = {"me", "me"}}, "metric 'me' is asked for twice");
  EXPECT_ERROR(evaluator.score({.references = {r}, .systems = {s}, .metrics = {"me:samples=word"}}),
               ErrorCode::io, "no reference.tokens.tsv beside it");
  expect({.references = {r}, .systems = {s}, .metrics = {"prd:scope=segment"}},
         "scope=segment needs texts, but");
  expect({.references = {r}, .systems = {s}, .metrics = {"me:unit=yes"}}, "unit=yes needs texts, but");
  expect({.references = {r}, .systems = {s}, .metrics = {"fid"}, .explain = true}, "nothing to explain");
  EXPECT_ERROR(Evaluator({.device = "gpu"}), ErrorCode::usage, "unknown device 'gpu'");
  EXPECT_ERROR(Evaluator({.device = "cuda"}), ErrorCode::io, "device cuda is not available");
}

TEST(Evaluator, BadVectorsAreNamed) {
  Evaluator evaluator;
  const std::vector<float> good{1, 2, 3, 4}, bad{1, NAN, 3, 4};
  const auto expect = [&](const Source& reference, const Source& system, const std::string& part) {
    EXPECT_ERROR(
        evaluator.score({.references = {{"r", reference}}, .systems = {{"s", system}}, .metrics = {"me"}}),
        ErrorCode::invalid_input, part);
  };
  expect(Rows<float>{good, 2}, Rows<float>{bad, 2}, "s: row 1, column 2 is NaN");
  expect(Rows<float>{good, 2}, Rows<float>{good, 1}, "s has 1 columns but r has 2");
  expect(Rows<float>{good, 3}, Rows<float>{good, 2}, "r: 4 values do not fill whole rows of 3 columns");
  expect(Rows<float>{good, 0}, Rows<float>{good, 2}, "r: 4 values do not fill whole rows of 0 columns");
}

TEST(Evaluator, CancelledWorkThrows) {
  Evaluator evaluator;
  const std::atomic<bool> cancel{true};
  EXPECT_ERROR(
      evaluator.score({.references = {example("reference")}, .systems = {example("good")}, .metrics = {"me"}},
                      nullptr, &cancel),
      ErrorCode::cancelled, "stopped on request");
}

}  // namespace
}  // namespace markeval
