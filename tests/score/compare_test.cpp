#include "api/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "api/markeval.hpp"
#include "base/random.hpp"
#include "score/compare.hpp"
#include "support/examples.hpp"
#include "support/temp_folder.hpp"
#include "text/corpus.hpp"

namespace markeval {
namespace {

using nlohmann::json;

Input text(const std::string& name, const std::string& as = "") {
  return {as, kExamples + "/" + name + ".txt"};
}
Input vectors(const std::string& name) {
  return {"", kExamples + "/" + name + ".npy"};
}

ScoreRequest texts_request(const std::vector<Metric>& metrics) {
  return {.references = {text("reference")}, .systems = {text("hasty"), text("careful")}, .metrics = metrics};
}

ScoreRequest vectors_request(const std::vector<Metric>& metrics) {
  return {.references = {vectors("reference")},
          .systems = {vectors("poor"), vectors("good")},
          .metrics = metrics};
}

std::string failure(const ScoreRequest& request, const CompareOptions& options) {
  try {
    Evaluator().compare(request, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Compare, PutsTheBetterSystemFirst) {
  Evaluator evaluator;
  const ComparisonReport report = evaluator.compare(texts_request({"bleu", "ter", "rougeL"}), {});
  EXPECT_EQ(report.rank("careful", "bleu", "bleu"), 1u);
  EXPECT_EQ(report.rank("hasty", "bleu", "bleu"), 2u);
  EXPECT_EQ(report.rank("careful", "ter", "ter"), 1u);  // lower is better
  EXPECT_EQ(report.rank("hasty", "rougeL", "f1"), 2u);
  EXPECT_EQ(report.p_value("hasty", "bleu", "bleu"), std::nullopt);
  EXPECT_LT(*report.p_value("careful", "bleu", "bleu"), 0.05);
  EXPECT_THROW(static_cast<void>(report.rank("nobody", "bleu", "bleu")), Error);
  EXPECT_THROW(static_cast<void>(report.p_value("careful", "bleu", "f1")), Error);
}

TEST(Compare, LetsEqualSystemsShareARank) {
  Evaluator evaluator;
  ScoreRequest request = texts_request({"bleu", "meteor", "nist"});
  request.systems.push_back(text("careful", "again"));
  for (const char* test : {"bootstrap", "randomisation"}) {
    const ComparisonReport report = evaluator.compare(request, {.test = test, .correction = "bh"});
    for (const char* metric : {"bleu", "meteor", "nist"}) {
      EXPECT_EQ(report.rank("careful", metric, metric), 1u) << test << metric;
      EXPECT_EQ(report.rank("again", metric, metric), 1u) << test << metric;
      EXPECT_EQ(report.rank("hasty", metric, metric), 3u) << test << metric;
    }
  }
}

/// A request of so many systems, and the texts it borrows.
struct ManySystems {
  explicit ManySystems(std::size_t count) {
    request.references = {{"reference", Texts{references}}};
    request.metrics = {"bleu"};
    for (std::size_t i = 0; i < count; ++i)
      request.systems.push_back({"s" + std::to_string(i), Texts{texts}});
  }
  std::vector<std::string> references{"a b", "c d"}, texts{"a b", "c"};
  ScoreRequest request;
};

TEST(Compare, RefusesMoreDifferencesOfPairsThanTheBudget) {
  EXPECT_EQ(
      failure(ManySystems(200).request, {}),
      "797000 resamples of 19900 pairs are 15860300000 numbers, more than 2000000000 "
      "(MARKEVAL_MAX_PAIR_DIFFERENCES sets this limit); --correction bh, --resamples 1000 or fewer systems "
      "need less");
  EXPECT_EQ(failure(ManySystems(2).request, {.resamples = 1000}), "no error");
  const ManySystems seventy(70);
  ScoreRequest score = seventy.request;
  score.resamples = 10'000'000;
  EXPECT_THROW(Evaluator().score(score), Error);
}

TEST(Compare, ManySystemsHaveAsManyResamplesAsTheirLevelTakes) {
  const auto resamples = [](std::size_t systems) {
    const ManySystems many(systems);
    return score::request_of_comparison(many.request, {}).resamples;
  };
  EXPECT_EQ(resamples(10), 10'000u);
  EXPECT_EQ(resamples(50), 82'000u);  // 100 million differences of 1,225 pairs
  EXPECT_EQ(resamples(100), 199'000u);
}

/// Asks to stop once the pairs are tested.
class StopAtThePairs : public Observer {
 public:
  void progress(std::string_view stage, std::uint64_t, std::uint64_t) override {
    if (stage == "tests of pairs") cancel = true;
  }
  std::atomic<bool> cancel{false};
};

TEST(Compare, CanBeStoppedBetweenThePairs) {
  const ManySystems many(40);  // 780 pairs
  StopAtThePairs observer;
  Evaluator evaluator({.threads = 1});
  EXPECT_ERROR(evaluator.compare(many.request, {.resamples = 100}, &observer, &observer.cancel),
               ErrorCode::cancelled, "stopped on request");
}

TEST(Compare, HasTheIntervalsOfScore) {
  Evaluator evaluator;
  ScoreRequest request = texts_request({"chrf", "rouge1"});
  const json compared = json::parse(evaluator.compare(request, {.resamples = 300}).json());
  request.resamples = 300;
  const json scored = json::parse(evaluator.score(request).json());
  EXPECT_EQ(compared["results"][0]["systems"][1]["ci"], scored["results"][2]["ci"]["chrf"]);
  EXPECT_EQ(compared["results"][3]["result"], "f1");
  EXPECT_EQ(compared["results"][3]["systems"][0]["ci"], scored["results"][1]["ci"]["f1"]);
}

TEST(Compare, GivesTheSameBitsForAnyNumberOfThreads) {
  Evaluator one({.threads = 1}), three({.threads = 3});
  for (const char* test : {"bootstrap", "randomisation"}) {
    const CompareOptions options{.test = test, .resamples = 200};
    const ScoreRequest request = texts_request({"bleu", "chrf++", "nist", "cider"});
    EXPECT_EQ(one.compare(request, options).json(), three.compare(request, options).json());
  }
  const ScoreRequest means = texts_request({"rougeL"});
  EXPECT_EQ(one.compare(means, {.test = "t"}).json(), three.compare(means, {.test = "t"}).json());
  const ScoreRequest request = vectors_request({"me", "prdc", "fid"});
  EXPECT_EQ(one.compare(request, {.resamples = 20}).json(), three.compare(request, {.resamples = 20}).json());
}

TEST(Compare, HasAPageOnlyWhereAskedFor) {
  Evaluator evaluator;
  ScoreRequest request = texts_request({"bleu", "rougeL"});
  const ComparisonReport without = evaluator.compare(request, {.resamples = 50});
  EXPECT_THROW(static_cast<void>(without.html()), Error);
  request.page = true;
  const ComparisonReport with = evaluator.compare(request, {.resamples = 50});
  EXPECT_EQ(with.json(), without.json());
  const std::string page = with.html({"markeval", "compare"});
  for (const char* part : {"careful", "hasty", ">compare</span>", "rougeL, f1", "Significance matrix"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
}

TEST(Compare, SplitsTheRowsForSetMetricsAndSaysSo) {
  Evaluator evaluator;
  const ComparisonReport report = evaluator.compare(vectors_request({"me:k=2", "fid"}), {.resamples = 100});
  EXPECT_EQ(report.rank("good", "fid", "fid"), 1u);
  EXPECT_EQ(report.rank("poor", "me", "petersen"), 2u);
  EXPECT_LT(*report.p_value("good", "me:k=2", "petersen"), 0.02);
  EXPECT_NE(
      report.json().find("splits:100|scale:root|seed:12345|test:split-halves|correction:holm|alpha:0.05"),
      std::string::npos);
}

TEST(Compare, AdjustsForTheNumberOfPairs) {
  ScoreRequest request = texts_request({"rougeL"});
  request.systems.push_back(text("reference"));
  Evaluator evaluator;
  const json none = json::parse(evaluator.compare(request, {.correction = "none"}).json());
  const json holm = json::parse(evaluator.compare(request, {.correction = "holm"}).json());
  EXPECT_EQ(none["results"][2]["tests"].size(), 3u);
  const auto smallest = [](const json& run, const char* name) {
    double p = 1;
    for (const json& test : run["results"][2]["tests"]) p = std::min(p, test[name].get<double>());
    return p;
  };
  EXPECT_EQ(smallest(none, "p_adjusted"), smallest(none, "p_value"));
  EXPECT_DOUBLE_EQ(smallest(holm, "p_adjusted"), 3 * smallest(holm, "p_value"));
}

TEST(Compare, DrawsAsManyResamplesAsHolmNeeds) {
  ScoreRequest request = texts_request({"bleu"});
  for (std::size_t i = 2; i < 12; ++i) request.systems.push_back(text("careful", std::to_string(i)));
  const ComparisonReport report = Evaluator().compare(request, {});
  ASSERT_EQ(report.warnings().size(), 11u)
      << "one for each copy, one of few segments, none of too few resamples";
  EXPECT_EQ(report.warnings()[0], "2 equals careful line by line: is it the right file?");
  EXPECT_EQ(report.p_value("2", "bleu", "bleu"), report.p_value("3", "bleu", "bleu"));
  EXPECT_NE(report.text().find("|bs:14000|"), std::string::npos)
      << "66 pairs at 0.01, which the page marks: 6,600, twice, in thousands";
  EXPECT_LT(*report.p_value("careful", "bleu", "bleu"), 0.001);
}

TEST(Compare, SeparatesNothingByFewerThanSixSegments) {
  ScoreRequest request;
  const std::vector<std::string> reference{"the cat sat on the mat", "a dog"},
      mine{"the cat sat on a mat", "a dog barks"}, other{"a cat", "the dog"};
  request.references = {{"ref", Texts{reference}}};
  request.systems = {{"mine", Texts{mine}}, {"other", Texts{other}}};
  request.metrics = {"chrf"};
  const ComparisonReport report = Evaluator().compare(request, {});
  EXPECT_EQ(report.warnings().back(), "only 2 segments: too few to tell systems apart");
  EXPECT_EQ(report.rank("mine", "chrf", "chrf"), report.rank("other", "chrf", "chrf"));
}

TEST(Compare, WarnsWhereHolmCannotSeparateAnything) {
  Evaluator evaluator;
  const ComparisonReport report =
      evaluator.compare(texts_request({"rouge2"}), {.resamples = 10, .correction = "holm"});
  ASSERT_EQ(report.warnings().size(), 2u);
  EXPECT_EQ(report.warnings()[0],
            "10 resamples and holm cannot separate 2 systems (1 pairs) at 0.05: more than 20 resamples can");
}

TEST(Compare, RefusesWhatItCannotTest) {
  ScoreRequest request = texts_request({"bleu"});
  EXPECT_EQ(failure(request, {.test = "t"}),
            "bleu is not a mean of segment scores, expected test bootstrap or randomisation");
  EXPECT_EQ(failure(request, {.test = "bootstrp"}), "unknown test 'bootstrp'; did you mean 'bootstrap'?");
  EXPECT_EQ(failure(request, {.correction = "hlm"}), "unknown correction 'hlm'; did you mean 'holm'?");
  EXPECT_EQ(failure(request, {.alpha = 0}), "alpha 0, expected more than 0 and less than 1");
  request.systems.pop_back();
  EXPECT_EQ(failure(request, {}), "only one system to compare, expected a baseline and at least one more");
  request.systems.clear();
  EXPECT_EQ(failure(request, {}), "no system to compare, expected a baseline and at least one more");
  EXPECT_EQ(failure(vectors_request({"me"}), {.test = "t"}),
            "me: test t needs scores of segments, expected test bootstrap, which splits the rows for me");
}

TEST(SetIntervals, RefuseSetsWhoseHalfIsTooSmall) {
  const std::vector<float> rows{0, 1, 2, 4};
  const ScoreRequest request{.references = {{"r", Rows<float>{rows, 1}}},
                             .systems = {{"mine", Rows<float>{rows, 1}}},
                             .metrics = {"me:k=2"},
                             .resamples = 10};
  try {
    Evaluator().score(request);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "me: k = 2 needs more than 2 rows, but r (half of it, for the interval) has 2; a smaller k or "
        "--clamp-k helps");
  }
}

/// Both sets drawn anew many times: the spread of the score is what an interval must tell from one draw.
TEST(SetIntervals, AreAsWideAsTheSpreadOverNewSamples) {
  constexpr std::size_t kRows = 120, kWidth = 4, kSets = 160, kEvery = 10;
  Evaluator evaluator;
  const auto sample = [](std::uint64_t index, double shift) {
    RandomStream stream(77, index);
    std::vector<double> values(kRows * kWidth);
    for (double& value : values) value = stream.normal() + shift;
    return values;
  };
  const std::vector<std::pair<std::string, std::string>> checked{
      {"fid", "fid"},          {"impar", "precision"}, {"impar", "recall"},
      {"prdc", "density"},     {"prdc", "coverage"},   {"me", "petersen"},
      {"me", "schnabel_qual"}, {"me", "schnabel_div"}, {"me", "capture"}};
  std::vector<std::vector<double>> scores(checked.size());
  std::vector<double> widths(checked.size());
  for (std::size_t set = 0; set < kSets; ++set) {
    const auto reference = sample(2 * set, 0), system = sample(2 * set + 1, 0.7);
    ScoreRequest request{.references = {{"r", Rows<double>{reference, kWidth}}},
                         .systems = {{"s", Rows<double>{system, kWidth}}},
                         .metrics = {"fid", "impar", "prdc", "me"}};
    if (set % kEvery == 0) request.resamples = 60;
    const Report report = evaluator.score(request);
    for (std::size_t i = 0; i < checked.size(); ++i) {
      const auto& [metric, result] = checked[i];
      scores[i].push_back(report.score("s", metric, result));
      if (request.resamples == 0) continue;
      for (const auto& found : report.results()) {
        for (const auto& [name, interval] : found.intervals) {
          if (found.metric == metric && name == result)
            widths[i] += (interval.high - interval.low) * kEvery / kSets;
        }
      }
    }
  }
  for (std::size_t i = 0; i < checked.size(); ++i) {
    double mean = 0, squares = 0;
    for (const double score : scores[i]) mean += score / kSets;
    for (const double score : scores[i]) squares += (score - mean) * (score - mean);
    const double expected = 2 * 1.96 * std::sqrt(squares / (kSets - 1));
    EXPECT_GT(widths[i], 0.75 * expected) << checked[i].second;
    EXPECT_LT(widths[i], 1.25 * expected) << checked[i].second;
    RecordProperty(checked[i].second, std::to_string(widths[i] / expected));
  }
}

/// Rows of golden/compare.tsv, made by sacrebleu 2.6.0 on newstest2017 de-en.
TEST(Compare, HasSacrebleusIntervalsAndPValues) {
  const char* shared = std::getenv("MARKEVAL_SHARED");
  if (shared == nullptr) GTEST_SKIP() << "MARKEVAL_SHARED is not set";
  const std::string file = std::string(shared) + "/data/wmt17/newstest2017_raw/de-en.tsv.gz";
  if (!std::ifstream(file)) GTEST_SKIP() << "no " << file;
  struct Row {
    std::string metric, lines, system, score, mean, half_width, p_bootstrap, p_randomisation;
  };
  std::vector<Row> rows;
  std::ifstream golden(MARKEVAL_COMPARE_GOLDEN);
  for (std::string line; std::getline(golden, line);) {
    if (line.starts_with("#") || line.starts_with("metric\t")) continue;
    Row row;
    std::istringstream(line) >> row.metric >> row.lines >> row.system >> row.score >> row.mean >>
        row.half_width >> row.p_bootstrap >> row.p_randomisation;
    rows.push_back(row);
  }
  ASSERT_EQ(rows.size(), 33u);
  Evaluator evaluator;
  for (std::size_t first = 0; first < rows.size(); first += 11) {
    TempFolder folder;
    const auto column = [&](const std::string& name) {
      const text::Corpus corpus = text::read_corpus(file + ":" + name, {});
      std::string lines = "text\n";  // a table: a byte order mark that starts a text stays part of it
      for (std::size_t i = 0; i < std::stoul(rows[first].lines); ++i)
        lines += std::string(corpus.segment(i)[0]) + "\n";
      return folder.write(name + ".tsv", lines) + ":text";
    };
    ScoreRequest request{.references = {{"", column("ref")}}, .metrics = {rows[first].metric}};
    for (std::size_t i = first; i < first + 11; ++i)
      request.systems.push_back({rows[i].system, column(rows[i].system)});
    const json bootstrap =
        json::parse(evaluator.compare(request, {.resamples = 1000}).json())["results"][0]["systems"];
    const json randomisation =
        json::parse(evaluator.compare(request, {.test = "randomisation"}).json())["results"][0]["systems"];
    for (std::size_t i = 0; i < 11; ++i) {
      const Row& expected = rows[first + i];
      SCOPED_TRACE(expected.metric + " " + expected.system);
      EXPECT_NEAR(bootstrap[i]["score"].get<double>(), std::stod(expected.score), 1e-9);
      EXPECT_NEAR(bootstrap[i]["mean"].get<double>(), std::stod(expected.mean), 1e-9);
      EXPECT_NEAR(bootstrap[i]["half_width"].get<double>(), std::stod(expected.half_width), 1e-9);
      if (i == 0) continue;
      EXPECT_EQ(bootstrap[i]["p_value"].get<double>(), std::stod(expected.p_bootstrap));
      EXPECT_EQ(randomisation[i]["p_value"].get<double>(), std::stod(expected.p_randomisation));
    }
  }
}

}  // namespace
}  // namespace markeval
