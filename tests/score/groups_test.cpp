// Scores by group: each group as if its segments had been scored alone.
#include <gmock/gmock.h>

#include "api/compare.hpp"
#include "api/markeval.hpp"
#include "base/random.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_model.hpp"

namespace markeval {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::string> kGroupedReferences{"the old bridge was closed", "a bell rang twice",
                                                  "rain fell all day",         "nobody sang that morning",
                                                  "boats lay at the quay",     "the pilot went home early"};
const std::vector<std::string> kGroupedSystem{"the old bridge is closed", "a bell rang",
                                              "it rained all day",        "nobody sang",
                                              "boats lay at a quay",      "the pilot left early"};
const std::vector<std::string> kGroupedOther{"an old bridge was shut", "the bell rang twice",
                                             "rain all day",           "no one sang that day",
                                             "ships lay at the quay",  "the pilot went home"};
const std::vector<std::string> kLabels{"news", "tale", "news", "tale", "news", ""};

ScoreRequest texts(const std::vector<std::string>& references, const std::vector<std::string>& first,
                   const std::vector<std::string>& second, std::vector<Metric> metrics) {
  ScoreRequest request;
  request.references = {{.name = "refs", .source = Texts{references}}};
  request.systems = {{.name = "one", .source = Texts{first}}, {.name = "two", .source = Texts{second}}};
  request.metrics = std::move(metrics);
  return request;
}

std::vector<std::string> some(const std::vector<std::string>& lines,
                              std::initializer_list<std::size_t> places) {
  std::vector<std::string> out;
  for (const std::size_t place : places) out.push_back(lines[place]);
  return out;
}

std::string error_of(const ScoreRequest& request) {
  try {
    Evaluator().score(request);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Groups, ScoreAsIfTheirSegmentsWereAlone) {
  const std::vector<Metric> metrics{"bleu", "chrf", "rougeL", "ter", "sentbleu"};
  ScoreRequest asked = texts(kGroupedReferences, kGroupedSystem, kGroupedOther, metrics);
  asked.groups = kLabels;
  asked.resamples = 50;
  const Report report = Evaluator().score(asked);
  ASSERT_EQ(report.groups().size(), 3U);
  EXPECT_EQ(report.groups()[2].first, "(none)");
  const auto references = some(kGroupedReferences, {0, 2, 4}), first = some(kGroupedSystem, {0, 2, 4}),
             second = some(kGroupedOther, {0, 2, 4});
  ScoreRequest alone = texts(references, first, second, metrics);
  alone.resamples = 50;
  const Report news = Evaluator().score(alone);
  const auto [name, results] = report.groups()[0];
  EXPECT_EQ(name, "news");
  ASSERT_EQ(results.size(), 10U);
  for (const Result& result : results) {
    for (const Result& expected : news.results()) {
      if (expected.system != result.system || expected.requested != result.requested) continue;
      ASSERT_EQ(result.scores.size(), expected.scores.size());
      for (std::size_t i = 0; i < result.scores.size(); ++i) {
        EXPECT_NEAR(result.scores[i].second, expected.scores[i].second, 1e-12) << result.requested;
        EXPECT_NEAR(result.intervals[i].second.low, expected.intervals[i].second.low, 1e-9)
            << result.requested;
      }
    }
    EXPECT_THAT(result.signature(), HasSubstr("|group:group=news|"));
    EXPECT_TRUE(result.segments.empty());
  }
  EXPECT_TRUE(report.results()[0].segments.empty()) << "nobody asked for them";
  EXPECT_EQ(report.results()[0].statistics.columns, 0U);
}

TEST(Groups, AreAColumnOfTheReferencesTableOrAFile) {
  const TempFolder folder;
  std::string table = "ref\tgenre\n", labels;
  for (std::size_t i = 0; i < kGroupedReferences.size(); ++i) {
    table += kGroupedReferences[i] + "\t" + kLabels[i] + "\n";
    labels += (i % 2 == 0 ? "even\n" : "odd\n");
  }
  folder.write("refs.tsv", table);
  folder.write("labels.txt", labels);
  ScoreRequest asked = texts(kGroupedReferences, kGroupedSystem, kGroupedOther, {"chrf"});
  asked.references = {{.name = "", .source = folder.file("refs.tsv:ref")}};
  asked.group = "genre";
  const std::string text = Evaluator().score(asked).text();
  EXPECT_THAT(text, HasSubstr("\nBy genre: 3 news, 2 tale, 1 (none)\nchrf"));
  EXPECT_THAT(Evaluator().score(asked).tsv(), HasSubstr("\ntale\ttwo\tchrf\tchrf\t"));
  asked.references = {{.name = "", .source = Texts{kGroupedReferences}}};
  asked.group = folder.file("labels.txt");
  EXPECT_THAT(Evaluator().score(asked).text(), HasSubstr("\nBy group: 3 even, 3 odd\n"));
}

TEST(Groups, WrongOnesAreTold) {
  ScoreRequest asked = texts(kGroupedReferences, kGroupedSystem, kGroupedOther, {"chrf"});
  asked.groups = {"a", "b"};
  EXPECT_THAT(error_of(asked), HasSubstr("groups has 2 labels but the reference has 6 segments"));
  asked.group = "genre";
  EXPECT_THAT(error_of(asked), HasSubstr("group and groups are given, expected one"));
  asked.groups.clear();
  EXPECT_THAT(error_of(asked), HasSubstr("group 'genre': no file of that name is here"));
  asked.group.clear();
  for (int i = 0; i < 101; ++i) asked.groups.push_back(std::to_string(i));
  EXPECT_THAT(error_of(asked), HasSubstr("groups has 101 different labels, expected at most 100"));
}

TEST(Groups, AreComparedWithTheSameTests) {
  ScoreRequest asked = texts(kGroupedReferences, kGroupedReferences, kGroupedOther, {"chrf"});
  asked.groups = kLabels;
  const ComparisonReport report = Evaluator().compare(asked, {.resamples = 100});
  EXPECT_THAT(report.text(), AllOf(HasSubstr("\nBy group: 3 news, 2 tale, 1 (none)\n"),
                                   Not(HasSubstr("* better than")) /* no star, so nothing about it */));
  EXPECT_THAT(report.json(), AllOf(HasSubstr("\"group\": \"news\""), HasSubstr("\"segments\": 3")));
  EXPECT_THAT(report.tsv(), AllOf(HasSubstr("group\tmetric\t"), HasSubstr("\nnews\tchrf\tchrf\ttwo\t")));
}

TEST(Groups, OfFewSegmentsAreNotTested) {
  ScoreRequest asked = texts(kGroupedReferences, kGroupedOther, kGroupedReferences, {"chrf"});
  asked.groups = {"big", "big", "big", "big", "big", "one"};
  const std::string text = Evaluator().compare(asked, {.resamples = 100}).text();
  EXPECT_THAT(text, HasSubstr("\ntwo   100.0   100.00\n")) << "five segments are no proof";
  const std::string table = Evaluator().compare(asked, {.resamples = 100}).tsv();
  EXPECT_THAT(table, HasSubstr("\t\t\t1\tnot tested\n")) << "no p-value";
  EXPECT_THAT(table, Not(HasSubstr("not separated")));
}

/// Two clouds of references; a system that has one of them.
struct Clouds {
  static constexpr std::size_t kRows = 80, kColumns = 3;
  std::vector<double> reference = rows(1, true), near = rows(2, false), both = rows(3, true);
  std::vector<std::string> labels;

  Clouds() {
    for (std::size_t row = 0; row < kRows; ++row) labels.emplace_back(row % 2 == 0 ? "near" : "far");
  }
  static std::vector<double> rows(std::uint64_t seed, bool far) {
    RandomStream random(seed, 0);
    std::vector<double> values(kRows * kColumns);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = random.normal() + (far && i / kColumns % 2 == 1 ? 50 : 0);
    return values;
  }
  ScoreRequest request(std::vector<Metric> metrics) const {
    ScoreRequest asked;
    asked.references = {{.name = "refs", .source = Rows<double>{reference, kColumns}}};
    asked.systems = {{.name = "near", .source = Rows<double>{near, kColumns}},
                     {.name = "both", .source = Rows<double>{both, kColumns}}};
    asked.metrics = std::move(metrics);
    return asked;
  }
};

double covered(const std::vector<Result>& results, const std::string& system) {
  for (const Result& result : results) {
    if (result.system == system) return result.scores.at(0).second;
  }
  return -1;
}

TEST(Groups, OfSetsTellWhichReferencesAreCovered) {
  const Clouds clouds;
  ScoreRequest asked = clouds.request({"me.schnabel_div", "fid"});
  asked.groups = clouds.labels;
  const Report report = Evaluator().score(asked);
  const auto groups = report.groups();
  ASSERT_EQ(groups.size(), 2U);
  ASSERT_EQ(groups[1].second.size(), 2U) << "fid has no parts";
  EXPECT_EQ(covered(groups[1].second, "near"), 0);
  EXPECT_GT(covered(groups[1].second, "both"), 0.3);
  EXPECT_GT(covered(groups[0].second, "near"), 0.5);
  EXPECT_THAT(report.text(), HasSubstr("me.schnabel_div.covered"));
  EXPECT_THAT(report.json(), Not(HasSubstr("\"details\": {\n    \"covered\"")));
  const ComparisonReport compared = Evaluator().compare(asked, {.resamples = 100});
  EXPECT_THAT(compared.json(), HasSubstr("\"result\": \"covered\""));
}

TEST(Groups, OfSetsNeedALabelForEveryReference) {
  const Clouds clouds;
  for (const std::size_t labels : {clouds.labels.size() - 1, clouds.labels.size() + 1}) {
    ScoreRequest asked = clouds.request({"me"});
    asked.groups = clouds.labels;
    asked.groups.resize(labels, "x");
    EXPECT_THROW(Evaluator().score(asked), Error) << labels;
    asked.sample = 20;
    EXPECT_THROW(Evaluator().score(asked), Error) << labels << ", of a sample";
  }
}

TEST(Groups, OfTextsCountTheReferencesWords) {
  const TempFolder folder;
  std::vector<std::string> references, system, labels;
  for (int i = 0; i < 40; ++i) {
    references.push_back(i % 2 == 0 ? std::string("abc ") + static_cast<char>('a' + i % 26) : "zzz yyy xxx");
    system.push_back(std::string("abc ") + static_cast<char>('a' + (i + 1) % 26));
    labels.emplace_back(i % 2 == 0 ? "even" : "odd");
  }
  ScoreRequest asked;
  asked.references = {{.name = "refs", .source = Texts{references}}};
  asked.systems = {{.name = "mine", .source = Texts{system}}};
  asked.metrics = {"me", "me:samples=word"};
  asked.encoder.model = write_tiny_model(folder);
  asked.encoder.cache = "none";
  asked.groups = labels;
  for (const auto& [name, results] : Evaluator().score(asked).groups()) {
    ASSERT_EQ(results.size(), 2U);
    for (const Result& result : results) {
      EXPECT_EQ(result.scores.at(0).first, "covered");
      EXPECT_GE(result.scores.at(0).second, 0);
      EXPECT_LE(result.scores.at(0).second, 1);
    }
  }
}

TEST(Clusters, NameWhatASystemLeavesOut) {
  const Clouds clouds;
  ScoreRequest asked = clouds.request({"me"});
  asked.explain = true;
  const Report report = Evaluator().score(asked);
  EXPECT_THAT(report.text(), HasSubstr("\nWhere people and systems differ most\ncluster "));
  EXPECT_THAT(report.text(), HasSubstr("0 % of near"));
  EXPECT_THAT(report.text(), Not(HasSubstr(" of both")));
  EXPECT_THAT(report.explanation_json(), AllOf(HasSubstr("\"clusters\""), HasSubstr("\"missing\": 1.0")));
  asked.page = true;
  EXPECT_THAT(Evaluator().score(asked).html(), HasSubstr("Clusters of the references"));
}

TEST(Clusters, OfTextsAreNamedByTheirWords) {
  const TempFolder folder;
  std::vector<std::string> references, system;
  for (int i = 0; i < 80; ++i) {
    references.push_back(i % 2 == 0 ? "abc abd" : "zzyzx xyzzy zyzzx yyyzz");
    system.emplace_back("abc abd");
  }
  ScoreRequest asked;
  asked.references = {{.name = "refs", .source = Texts{references}}};
  asked.systems = {{.name = "mine", .source = Texts{system}}};
  asked.metrics = {"me"};
  asked.encoder.model = write_tiny_model(folder);
  asked.encoder.cache = "none";
  asked.explain = true;
  EXPECT_THAT(
      Evaluator().score(asked).text(),
      AllOf(HasSubstr("(xyzzy, yyyzz, zyzzx): 50 % of people, 0 % of mine\n  zzyzx xyzzy zyzzx yyyzz\n"),
            HasSubstr("(abc, abd): 50 % of people, 100 % of mine")));
}

}  // namespace
}  // namespace markeval
