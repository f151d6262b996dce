// What a reader of set scores is given beside them: people against people, samples of one size, warnings.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "api/compare.hpp"
#include "api/markeval.hpp"
#include "base/random.hpp"
#include "score/beside_people.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_model.hpp"

namespace markeval {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::size_t kColumns = 3;

std::vector<double> rows(std::size_t count, std::uint64_t seed, double shift = 0) {
  RandomStream random(seed, 0);
  std::vector<double> values(count * kColumns);
  for (double& value : values) value = random.normal() + shift;
  return values;
}

ScoreRequest request(const std::vector<double>& reference, const std::vector<std::vector<double>>& systems,
                     std::vector<Metric> metrics) {
  ScoreRequest request;
  request.references = {{.name = "people", .source = Rows<double>{reference, kColumns}}};
  for (std::size_t i = 0; i < systems.size(); ++i)
    request.systems.push_back(
        {.name = "s" + std::to_string(i), .source = Rows<double>{systems[i], kColumns}});
  request.metrics = std::move(metrics);
  request.ceiling = true;
  return request;
}

std::uint64_t count(const Result& result, const std::string& name) {
  for (const auto& [key, value] : result.details) {
    if (key == name) return std::get<std::uint64_t>(value);
  }
  return 0;
}

const Ceiling& ceiling(const Report& report) {
  return report.ceilings().at(0);
}

TEST(Ceiling, HasHalfOfTheTextsOfPeopleAndSystem) {
  const auto reference = rows(100, 1);
  const std::vector<std::vector<double>> systems{rows(100, 2)};
  const Report report = Evaluator().score(request(reference, systems, {"me", "fid"}));
  ASSERT_EQ(report.ceilings().size(), 2U);
  EXPECT_EQ(ceiling(report).texts, 50U);
  EXPECT_EQ(ceiling(report).draws, 20U);
  EXPECT_THAT(report.text(),
              AllOf(HasSubstr("Beside people: 50 rows of each"), HasSubstr("\n(people), 50 rows  ")));
  EXPECT_THAT(report.json(), AllOf(HasSubstr("\"system_rows\": 50"), HasSubstr("\"reference_rows\": 50")));
}

TEST(Ceiling, HasHalfTheSizeOfTheSmallestSet) {
  const auto reference = rows(100, 1);
  const std::vector<std::vector<double>> systems{rows(44, 2), rows(60, 3)};
  EXPECT_EQ(ceiling(Evaluator().score(request(reference, systems, {"me"}))).texts, 22U);
}

TEST(Ceiling, OfPeopleHangsOnTheSeedAlone) {
  const auto reference = rows(100, 1);
  const std::vector<std::vector<double>> one{rows(100, 2)}, other{rows(100, 3, 4)};
  ScoreRequest asked = request(reference, one, {"me"});
  const auto first = ceiling(Evaluator({.threads = 1}).score(asked)).people.scores;
  EXPECT_EQ(ceiling(Evaluator({.threads = 3}).score(request(reference, other, {"me"}))).people.scores, first);
  asked.seed = 2;
  EXPECT_NE(ceiling(Evaluator().score(asked)).people.scores, first);
}

TEST(Ceiling, IsLeftOutWhereHalfIsTooFew) {
  const auto reference = rows(60, 1), few = rows(38, 1);
  const std::vector<std::vector<double>> systems{rows(60, 2)};
  const Report report = Evaluator().score(request(reference, systems, {"me:k=35"}));
  EXPECT_EQ(report.results().size(), 1U);
  EXPECT_THAT(ceiling(report).people.scores, IsEmpty());
  EXPECT_THAT(ceiling(report).missing, HasSubstr("k"));
  const Report of_few = Evaluator().score(request(few, systems, {"me"}));
  EXPECT_THAT(ceiling(of_few).people.scores, IsEmpty());
  EXPECT_THAT(ceiling(of_few).missing, HasSubstr("40"));
}

TEST(Ceiling, CallsTextsOfOneDistributionAlikeAndOthersFarther) {
  const auto reference = rows(400, 1);
  const std::vector<std::vector<double>> systems{rows(400, 2), rows(400, 3, 3)};
  const Report report = Evaluator().score(request(reference, systems, {"me", "impar", "prdc", "prd", "fid"}));
  ASSERT_EQ(report.ceilings().size(), 5U);
  for (const Ceiling& one : report.ceilings()) {
    EXPECT_EQ(one.systems[0].standing, Standing::alike) << one.requested;
    EXPECT_EQ(one.systems[1].standing, Standing::farther) << one.requested;
  }
  EXPECT_THAT(report.text(),
              AllOf(HasSubstr("s1 is farther from the reference than other people's texts are (me, impar, "),
                    HasSubstr("s0 cannot be told from people at this size (me, impar, ")));
}

// A translation says what its own reference says: line by line it is close to it, but not closer to the rest
// of the references than they are to each other.
TEST(Ceiling, LineByLineCopiesAreJustLikePeople) {
  const auto reference = rows(600, 1);
  const std::vector<std::vector<double>> systems{reference};
  const Report report = Evaluator().score(request(reference, systems, {"fid", "me"}));
  for (const Ceiling& one : report.ceilings()) {
    EXPECT_EQ(one.systems[0].scores, one.people.scores);
    EXPECT_EQ(one.systems[0].standing, Standing::alike);
  }
  EXPECT_THAT(report.json(), Not(HasSubstr("\"is_ceiling\": false")));
}

TEST(Ceiling, CopiesInAnotherOrderAreCloserThanPeople) {
  const auto reference = rows(400, 1);
  std::vector<double> turned(reference.rbegin(), reference.rend());
  for (std::size_t row = 0; row < turned.size(); row += kColumns)
    std::reverse(turned.begin() + static_cast<std::ptrdiff_t>(row),
                 turned.begin() + static_cast<std::ptrdiff_t>(row + kColumns));
  const std::vector<std::vector<double>> systems{turned};
  const Report report = Evaluator().score(request(reference, systems, {"prdc:k=1"}));
  EXPECT_EQ(ceiling(report).systems[0].standing, Standing::closer);
  EXPECT_THAT(report.json(), AllOf(HasSubstr("\"is_ceiling\": false"), HasSubstr("\"systems_above\": 1"),
                                   HasSubstr("\"standing\": \"closer\"")));
}

TEST(Ceiling, IsJudgedTheSameWhateverElseWasAskedFor) {
  Ceiling me;
  me.metric = me.requested = "me";
  me.people.scores = {{"petersen", 0.9}, {"schnabel_qual", 0.9}, {"schnabel_div", 0.9}};
  me.systems.resize(1);
  me.systems[0].scores = {{"petersen", 0.8}, {"schnabel_qual", 1.0}, {"schnabel_div", 0.8}};
  me.systems[0].p_values = {{"petersen", 0.015}, {"schnabel_qual", 0.015}, {"schnabel_div", 0.06}};
  std::vector<Ceiling> alone{me}, many(20, me);
  score::judge(alone);
  score::judge(many);
  for (const Ceiling& one : {alone[0], many[0], many[19]}) {
    EXPECT_EQ(one.systems[0].standing, Standing::farther);
    EXPECT_EQ(one.systems[0].standings, (Named<Standing>{{"petersen", Standing::farther},
                                                         {"schnabel_qual", Standing::closer},
                                                         {"schnabel_div", Standing::alike}}));
  }
}

// All rows of s1 lie where people's lie densest: near people's rows, and far from most of them. s0 is far
// from people, and s2 has their own rows in another order.
TEST(Ceiling, OneThatIsBehindPeopleOrACopyIsBetterThanNobody) {
  const auto reference = rows(400, 1);
  std::vector<double> collapsed = rows(400, 3);
  for (double& value : collapsed) value *= 0.2;
  std::vector<double> turned = reference;
  std::rotate(turned.begin(), turned.begin() + 100 * kColumns, turned.end());
  const ComparisonReport report = Evaluator().compare(
      request(reference, {rows(400, 2, 2), collapsed, turned}, {"impar"}), {.resamples = 100});
  const auto json = nlohmann::json::parse(report.json());
  std::size_t held_back = 0;
  for (const auto& result : json["results"]) {
    for (const std::size_t system : {1u, 2u}) {
      const auto& found = result["systems"][system];
      EXPECT_NE(found["verdict"], "better") << result["result"] << " " << system;
      held_back += found["verdict"] == "held back" ? 1 : 0;
    }
    EXPECT_TRUE(result["systems"][2]["rank"].is_null()) << result["result"];
    EXPECT_TRUE(result["systems"][1]["rank"].is_null()) << "closer than people by its precision";
  }
  EXPECT_GE(held_back, 2u) << "the test finds both better than s0";
  EXPECT_THAT(report.text(), HasSubstr("s2 is a copy of the reference, so impar gives it no rank."));
}

TEST(Ceiling, NobodyIsAlikeWhereTheGapIsPlain) {
  const auto reference = rows(400, 1);
  const std::vector<double> others = rows(8, 4);
  std::vector<std::vector<double>> systems(8);
  for (std::size_t s = 0; s < systems.size(); ++s) {
    for (std::size_t row = 0; row < 400; ++row)
      systems[s].insert(systems[s].end(), others.begin() + static_cast<std::ptrdiff_t>(s * kColumns),
                        others.begin() + static_cast<std::ptrdiff_t>((s + 1) * kColumns));
  }
  const Report report = Evaluator().score(request(reference, systems, {"me", "prdc"}));
  std::size_t jumping = 0;
  for (const Ceiling& found : report.ceilings()) {
    for (const DrawnScores& system : found.systems) {
      for (std::size_t result = 0; result < system.scores.size(); ++result) {
        const double gap = std::abs(system.scores[result].second - found.people.scores[result].second);
        if (gap < 5 * found.people.spreads[result].second ||
            system.spreads[result].second < 5 * found.people.spreads[result].second)
          continue;
        EXPECT_NE(system.standings[result].second, Standing::alike)
            << found.requested << "." << system.scores[result].first;
        jumping += gap < 1.5 * system.spreads[result].second ? 1 : 0;
      }
    }
  }
  EXPECT_GE(jumping, 1u) << "by the spread of the differences alone there would be no word";
}

TEST(Ceiling, StandsOnThePageOfOneSystem) {
  const auto reference = rows(200, 1);
  const std::vector<std::vector<double>> systems{rows(200, 2, 2)};
  ScoreRequest asked = request(reference, systems, {"fid"});
  asked.page = true;
  EXPECT_THAT(Evaluator().score(asked).html(),
              AllOf(HasSubstr("s0 is farther from the reference than other people"), HasSubstr("(people)")));
}

TEST(Ceiling, HasOneOfTheResultsWhereOneWasAskedFor) {
  const auto reference = rows(40, 1);
  const std::vector<std::vector<double>> systems{rows(40, 2)};
  const Report report = Evaluator().score(request(reference, systems, {"me.schnabel_div"}));
  ASSERT_EQ(ceiling(report).people.scores.size(), 1U);
  EXPECT_EQ(ceiling(report).people.scores[0].first, "schnabel_div");
  EXPECT_EQ(ceiling(report).systems[0].scores.size(), 1U);
}

// Several references of a line say the same: a draw has one of them, and none stands on both sides.
TEST(Ceiling, TakesOneReferenceOfALine) {
  const auto first = rows(100, 1), second = rows(100, 2);
  const std::vector<std::vector<double>> systems{rows(100, 3)};
  ScoreRequest asked = request(first, systems, {"me"});
  asked.references.push_back({.name = "others", .source = Rows<double>{second, kColumns}});
  EXPECT_EQ(ceiling(Evaluator().score(asked)).texts, 50U);
}

TEST(SetWarnings, SizesThatDifferAreTold) {
  const auto reference = rows(100, 1);
  const std::vector<std::vector<double>> systems{rows(100, 2), rows(60, 3)};
  ScoreRequest asked = request(reference, systems, {"me"});
  EXPECT_THAT(Evaluator().score(asked).warnings(),
              Contains(AllOf(HasSubstr("sets differ in size (s1 60, s0 100)"), HasSubstr("-m me:n=60 "))));
  asked.sample = 60;
  const Report report = Evaluator().score(asked);
  EXPECT_THAT(report.warnings(), Not(Contains(HasSubstr("differ in size"))));
  EXPECT_EQ(count(report.results()[0], "reference_rows"), 60U);
  EXPECT_EQ(count(report.results()[0], "system_rows"), 60U);
  EXPECT_THAT(report.results()[0].signature(), HasSubstr("|sample:60|"));
}

TEST(DrawnScores, TheOptionNTakesSizeOutOfTheNumber) {
  const auto reference = rows(800, 1);
  const std::vector<std::vector<double>> systems{rows(800, 2), rows(200, 3)};
  const Report report = Evaluator().score(request(reference, systems, {"fid", "drawn=fid:n=200"}));
  const double apart = std::abs(report.score("s0", "fid") - report.score("s1", "fid"));
  EXPECT_LT(std::abs(report.score("s0", "drawn") - report.score("s1", "drawn")), apart / 2);
  const Result& drawn = report.results()[1];
  EXPECT_EQ(count(drawn, "system_rows"), 200U);
  EXPECT_EQ(count(drawn, "draws"), 10U);
  EXPECT_THAT(drawn.signature(), HasSubstr("|n:200|draws:10|seed:12345|"));
}

TEST(DrawnScores, AllTextsAreOneDraw) {
  const auto reference = rows(60, 1);
  const std::vector<std::vector<double>> systems{rows(60, 2)};
  const Report report = Evaluator().score(request(reference, systems, {"me", "me:n=60"}));
  EXPECT_EQ(report.results()[0].scores, report.results()[1].scores);
  EXPECT_EQ(count(report.results()[1], "draws"), 1U);
}

TEST(DrawnScores, MoreTextsThanThereAreIsAnError) {
  const auto reference = rows(100, 1);
  const std::vector<std::vector<double>> systems{rows(30, 2)};
  const Report report = Evaluator().score(request(reference, systems, {"me", "me:n=40"}));
  ASSERT_EQ(report.errors().size(), 1U);
  EXPECT_EQ(report.errors()[0].reason, "s0 has 30 texts or rows, but n is 40");
}

TEST(DrawnScores, AComparisonDrawsToTheSmallestSystem) {
  const auto reference = rows(200, 1);
  const std::vector<std::vector<double>> systems{rows(200, 2), rows(100, 3)},
      equal{rows(200, 2), rows(200, 3)};
  CompareOptions options;
  options.resamples = 20;
  const ComparisonReport report = Evaluator().compare(request(reference, systems, {"me"}), options);
  EXPECT_THAT(report.warnings(), Contains(HasSubstr("systems differ in size (100 to 200 texts or rows)")));
  EXPECT_THAT(report.json(), HasSubstr("|n:100|draws:10|"));
  EXPECT_THAT(Evaluator().compare(request(reference, equal, {"me"}), options).json(), Not(HasSubstr("|n:")));
}

TEST(SetIntervals, OfSharesStayBetween0And1) {
  const auto reference = rows(60, 1);
  const std::vector<std::vector<double>> systems{rows(60, 2), rows(60, 3, 9)};
  ScoreRequest asked = request(reference, systems, {"prdc", "me:k=3", "impar", "fid"});
  asked.resamples = 30;
  const Report report = Evaluator().score(asked);
  for (const Result& result : report.results()) {
    for (const auto& [name, interval] : result.intervals) {
      EXPECT_GE(interval.low, 0) << name;
      if (name != "density" && name != "fid") {
        EXPECT_LE(interval.high, 1) << name;
      }
    }
    EXPECT_THAT(result.signature(), HasSubstr("|scale:root|"));
  }
}

TEST(SetWarnings, ASampleLargerThanASetIsAnError) {
  const auto reference = rows(100, 1);
  const std::vector<std::vector<double>> systems{rows(30, 2)};
  ScoreRequest asked = request(reference, systems, {"me"});
  asked.sample = 40;
  try {
    Evaluator().score(asked);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "s0 has 30 rows, but the sample is to have 40");
  }
}

TEST(SetWarnings, SaturationIsTold) {
  const auto reference = rows(100, 1);
  const std::vector<std::vector<double>> systems{rows(100, 2), rows(100, 3)};
  EXPECT_THAT(Evaluator().score(request(reference, systems, {"me:k=30", "me"})).warnings(),
              ElementsAre(HasSubstr("me:k=30: all scores are above 0.99")));
  std::vector<double> dense = rows(100, 2);
  for (double& value : dense) value *= 0.1;
  EXPECT_THAT(Evaluator().score(request(reference, {dense}, {"prdc.density"})).warnings(),
              Not(Contains(HasSubstr("cannot tell"))))
      << "a density may be above 1";
}

TEST(SetWarnings, ScoresOfNothingAreTold) {
  const auto reference = rows(40, 1);
  std::vector<double> far = rows(40, 2);
  for (double& value : far) value += 1000;
  const std::vector<std::vector<double>> systems{far};
  EXPECT_THAT(
      Evaluator().score(request(reference, systems, {"prdc:k=3"})).warnings(),
      Contains(HasSubstr("prdc:k=3: the score is below 0.01, where it cannot tell systems apart; a larger "
                         "k or more texts may")));
}

TEST(SetWarnings, RepetitionIsTold) {
  const auto reference = rows(100, 1);
  std::vector<double> repeated = rows(10, 2);
  const std::vector<double> once = repeated;
  for (int i = 1; i < 10; ++i) repeated.insert(repeated.end(), once.begin(), once.end());
  const std::vector<std::vector<double>> systems{repeated};
  EXPECT_THAT(Evaluator().score(request(reference, systems, {"me:k=1"})).warnings(),
              Contains("system s0 repeats itself: 10 distinct of 100 rows"));
}

TEST(SetWarnings, CopiesAreFoundWithoutCaseAndPunctuation) {
  const TempFolder folder;
  std::string reference, copy, few;
  for (int line = 0; line < 60; ++line) {
    const std::string number = std::to_string(line);
    reference += "A cat, a dog " + number + ".\n";
    copy += "a cat a dog " + number + "\n";
    few += "A cat, a dog " + std::to_string(line % 5) + ".\n";
  }
  ScoreRequest asked;
  asked.references = {{"", folder.write("reference.txt", reference)}};
  asked.systems = {{"", folder.write("copy.txt", copy)}, {"", folder.write("few.txt", few)}};
  asked.encoder.model = write_tiny_model(folder);
  asked.encoder.cache = "none";
  asked.metrics = {"prdc"};
  asked.ceiling = true;
  const Report report = Evaluator().score(asked);
  EXPECT_THAT(report.warnings(), Contains(HasSubstr("copy: 60 of 60 texts (100 %) stand in the reference")));
  EXPECT_EQ(ceiling(report).systems[0].copied, 1);
  EXPECT_THAT(report.warnings(), Contains(HasSubstr("system few repeats itself: 5 distinct of 60 texts")));
  EXPECT_EQ(ceiling(report).systems[1].copied, 0) << "it repeats itself, it does not copy";
}

TEST(SetSample, OfTextsNamesTheRightLines) {
  const TempFolder folder;
  std::vector<std::string> references, system;
  for (char letter = 'a'; letter <= 'z'; ++letter) {
    references.push_back(std::string(3, letter));
    system.push_back(std::string(4, letter));
  }
  ScoreRequest asked;
  asked.references = {{.name = "refs", .source = Texts{references}}};
  asked.systems = {{.name = "mine", .source = Texts{system}}};
  asked.encoder.model = write_tiny_model(folder);
  asked.encoder.cache = "none";
  asked.sample = 10;
  for (const char* metric : {"me", "me:samples=word"}) {
    asked.metrics = {metric};
    asked.explain = true;
    const Report report = Evaluator().score(asked);
    if (std::string(metric) == "me") {
      EXPECT_EQ(count(report.results()[0], "system_rows"), 10U);
    }
    EXPECT_THAT(report.results()[0].signature(), HasSubstr("|sample:10|"));
    EXPECT_THAT(report.explanation_json(), HasSubstr("mine"));
  }
}

}  // namespace
}  // namespace markeval
