// What a reader of set scores is given beside them: people against people, samples of one size, warnings.
#include <gmock/gmock.h>

#include "api/markeval.hpp"
#include "api/tiny_model.hpp"
#include "base/random.hpp"
#include "support/temp_folder.hpp"

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
                     std::vector<std::string> metrics) {
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

TEST(Ceiling, IsHalfOfTheReferencesAgainstTheOthers) {
  const auto reference = rows(100, 1);
  const std::vector<std::vector<double>> systems{rows(100, 2)};
  const Report report = Evaluator().score(request(reference, systems, {"me", "fid"}));
  ASSERT_EQ(report.ceilings().size(), 2U);
  EXPECT_EQ(count(report.ceilings()[0], "system_rows"), 50U);
  EXPECT_EQ(count(report.ceilings()[0], "reference_rows"), 50U);
  EXPECT_THAT(report.text(),
              HasSubstr("(people): 50 rows of the reference, drawn by chance, against the other 50"));
}

TEST(Ceiling, HasTheSizeOfTheLargestSystem) {
  const auto reference = rows(100, 1);
  const std::vector<std::vector<double>> systems{rows(20, 2), rows(22, 3)};
  const Report report = Evaluator().score(request(reference, systems, {"me"}));
  EXPECT_EQ(count(report.ceilings()[0], "system_rows"), 22U);
  EXPECT_EQ(count(report.ceilings()[0], "reference_rows"), 78U);
}

TEST(Ceiling, HangsOnTheSeedAlone) {
  const auto reference = rows(100, 1);
  const std::vector<std::vector<double>> one{rows(100, 2)}, other{rows(100, 3, 4)};
  ScoreRequest asked = request(reference, one, {"me"});
  const auto first = Evaluator({.threads = 1}).score(asked).ceilings()[0].scores;
  EXPECT_EQ(Evaluator({.threads = 3}).score(request(reference, other, {"me"})).ceilings()[0].scores, first);
  asked.seed = 2;
  EXPECT_NE(Evaluator().score(asked).ceilings()[0].scores, first);
}

TEST(Ceiling, IsLeftOutWhereHalfIsTooFew) {
  const auto reference = rows(60, 1), few = rows(38, 1);
  const std::vector<std::vector<double>> systems{rows(60, 2)};
  const Report report = Evaluator().score(request(reference, systems, {"me:k=35"}));
  EXPECT_EQ(report.results().size(), 1U);
  EXPECT_THAT(report.ceilings(), IsEmpty());
  EXPECT_THAT(Evaluator().score(request(few, systems, {"me"})).ceilings(), IsEmpty());
}

TEST(Ceiling, IsNoneWhereEverySystemIsCloserToTheReference) {
  const auto reference = rows(600, 1);
  std::vector<double> nearly = reference;
  for (double& value : nearly) value += 1e-6;
  const std::vector<std::vector<double>> systems{nearly, reference}, other{nearly, rows(600, 2, 9)};
  const Report report = Evaluator().score(request(reference, systems, {"fid"}));
  EXPECT_THAT(report.text(), Not(HasSubstr("\n(people)")));
  EXPECT_THAT(report.text(), HasSubstr("fid has no row (people): 300 rows"));
  EXPECT_THAT(report.text(), HasSubstr("worse than every system.\nSuch systems say what the reference says"));
  EXPECT_THAT(report.json(), HasSubstr("\"is_ceiling\": false"));
  EXPECT_EQ(count(report.ceilings()[0], "systems_above"), 2U);
  const Report mixed = Evaluator().score(request(reference, other, {"fid"}));
  EXPECT_THAT(mixed.text(), HasSubstr("\n(people)"));
  EXPECT_THAT(mixed.json(), Not(HasSubstr("\"is_ceiling\": false")));
}

TEST(Ceiling, ThatIsNoneHasNoLineOnThePage) {
  const auto reference = rows(600, 1);
  const std::vector<std::vector<double>> systems{reference, reference};
  ScoreRequest asked = request(reference, systems, {"fid"});
  asked.page = true;
  EXPECT_THAT(Evaluator().score(asked).html(),
              AllOf(HasSubstr("<p class=\"note\">fid has no row (people)"), Not(HasSubstr("Dashed line: "))));
}

TEST(Ceiling, HasOneOfTheResultsWhereOneWasAskedFor) {
  const auto reference = rows(40, 1);
  const std::vector<std::vector<double>> systems{rows(40, 2)};
  const Report report = Evaluator().score(request(reference, systems, {"me.petersen"}));
  EXPECT_EQ(report.ceilings()[0].scores.size(), 1U);
}

TEST(SetWarnings, SizesThatDifferAreTold) {
  const auto reference = rows(100, 1);
  const std::vector<std::vector<double>> systems{rows(100, 2), rows(60, 3)};
  ScoreRequest asked = request(reference, systems, {"me"});
  EXPECT_THAT(Evaluator().score(asked).warnings(),
              Contains(HasSubstr("sets differ in size (s1 60, s0 100)")));
  asked.sample = 60;
  const Report report = Evaluator().score(asked);
  EXPECT_THAT(report.warnings(), Not(Contains(HasSubstr("differ in size"))));
  EXPECT_EQ(count(report.results()[0], "reference_rows"), 60U);
  EXPECT_EQ(count(report.results()[0], "system_rows"), 60U);
  EXPECT_THAT(report.results()[0].signature(), HasSubstr("|sample:60|"));
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
