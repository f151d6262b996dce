// The pages of score and correlate as wholes.
#include <gtest/gtest.h>

#include <cmath>

#include "report/html_comparison.hpp"
#include "report/html_correlation.hpp"
#include "report/html_people.hpp"
#include "report/html_score.hpp"
#include "report/html_text.hpp"
#include "report/occurrences.hpp"
#include "support/xml_check.hpp"

namespace markeval::report {
namespace {

using markeval::testing::XmlCheck;

Result result(const std::string& system, const std::string& k, double value) {
  Result result;
  result.metric = "me";
  result.requested = "me:k=" + k;
  result.system = system;
  result.scores = {{"petersen", value}, {"capture", value / 2}};
  result.intervals = {{"petersen", {value - 0.01, value + 0.01}}};
  result.segments = {{"petersen", {0.1, 0.5, value}}};
  result.details = {{"rows", std::uint64_t{300}}, {"truncated_texts", std::uint64_t{7}}};
  result.signature_parts = {{"k", k}, {"version", "0"}};
  return result;
}

ScorePage two_systems() {
  ScorePage page;
  page.facts.title = "a & b";
  page.run.results = {result("a", "1", 0.25), result("b", "1", 0.75)};
  PairExamples examples{"a", "bertscore", "f1", {}, {}};
  metric::PairExplanation pair;
  pair.metric = "bertscore";
  pair.system = "a";
  pair.segment = 4;
  pair.reference = 1;
  pair.candidate_text = "<script>alert(1)</script>";
  pair.reference_text = "safe & sound";
  pair.scores = {{"f1", 0.125}};
  pair.candidate_rows = {{0, 8, 1}, {8, 25, 1}};
  pair.reference_rows = {{0, 4, 1}, {5, 12, 1}};
  pair.links = {{0, 0, 0.25, 1, false}, {1, 1, 0.75, 1, true}};
  examples.worst.push_back(pair);
  page.examples.push_back(examples);
  SetPicture picture;
  picture.system = "a";
  picture.metric = "impar";
  picture.balls = "closed balls, k = 3";
  picture.points = {{0, 0, MapRole::reference}, {1, 1, MapRole::off_manifold, "g1"}};
  picture.shares[0] = 0.4;
  picture.reference_rows = 100;
  picture.system_rows = 50;
  picture.drawn = 2;
  picture.off_manifold = {
      {{"a.txt", 3, true, "<img src=x>", "", 0}, {"r.txt", 9, true, "calm", "", 0}, 1.5, 1, "g1"}};
  picture.off_manifold_total = 12;
  page.pictures.push_back(picture);
  return page;
}

TEST(ScorePage, IsWellFormedWhateverTheTextsHold) {
  const std::string page = score_page(two_systems());
  const XmlCheck check(page, true);
  EXPECT_EQ(check.fault(), "");
  EXPECT_EQ(check.count("script"), 1u);  // its own
  EXPECT_EQ(check.count("img"), 0u);
  EXPECT_EQ(check.count("svg"), 2u + 1u + 1u + 1u);  // dots of two results, segments, alignment, map
}

TEST(ScorePage, SaysTheSignatureOnceNearTheNumbers) {
  const std::string page = score_page(two_systems());
  EXPECT_EQ(occurrences(page, "me|k:1|version:0"), 1u);
  EXPECT_EQ(occurrences(page, ">0.750 <small>[0.740, 0.760]</small>"), 1u);
}

TEST(ScorePage, CountsWhatWasTruncated) {
  const std::string page = score_page(two_systems());
  EXPECT_EQ(occurrences(page, "data-label=\"truncated\" class=\"n\" data-v=\"7\""), 2u);
  EXPECT_EQ(page.find("truncated_texts"), std::string::npos);  // not a second time among the details
}

TEST(ScorePage, LeavesOutCountsOfNothing) {
  RunReport run = two_systems().run;
  EXPECT_NE(counts_html(run), "");
  run.results[0].details = {{"truncated_texts", std::uint64_t{0}}, {"empty_candidates", std::uint64_t{0}}};
  EXPECT_EQ(occurrences(counts_html(run), "<tr><th scope=\"row\""), 1u) << "a row of zeros";
  EXPECT_EQ(counts_html(run).find("empty texts"), std::string::npos) << "a column of zeros";
  run.results[1].details = run.results[0].details;
  EXPECT_EQ(counts_html(run), "");
}

TEST(ScorePage, PrintsNoScoreTwice) {
  ScorePage page = two_systems();
  page.run.results.push_back(result("a", "9", 0.3125));
  page.run.results.push_back(result("b", "9", 0.8125));
  const std::string html = score_page(page);
  EXPECT_EQ(occurrences(html, "data-v=\"0.3125\""), 1u);
}

TEST(ScorePage, DrawsNoMapThatShowsLittle) {
  std::vector<SetPicture> pictures = two_systems().pictures;
  EXPECT_EQ(occurrences(pictures_html(pictures, {}), "<svg"), 1u);
  pictures[0].shares[0] = pictures[0].shares[1] = 0.03;
  const std::string html = pictures_html(pictures, {});
  EXPECT_EQ(occurrences(html, "<svg"), 0u);
  EXPECT_NE(html.find("hold 6 % of their variance"), std::string::npos) << html;
}

TEST(ScorePage, SetsCountsOutsideBesideThoseOfPeople) {
  const std::vector<SetPicture> pictures = two_systems().pictures;
  Ceiling ceiling;
  ceiling.metric = ceiling.requested = "impar";
  ceiling.samples = "sentence";
  ceiling.texts = 25;
  ceiling.people.outside = 0.25;
  ceiling.systems.emplace_back().system = "a";
  ceiling.systems.back().outside = 0.5;
  const std::string html = pictures_html(pictures, {ceiling});
  EXPECT_NE(html.find("12 of 50 rows of a (24 %) lie inside no ball around a reference."), std::string::npos);
  EXPECT_NE(
      html.find("At one size, 25 texts of each, 50 % of a lie far from the reference, and 25 % of people"),
      std::string::npos)
      << html;
  EXPECT_NE(html.find("The first share is of the whole sets"), std::string::npos) << "why the two differ";
}

TEST(ScorePage, CallsASectionWithoutAMapByWhatItHas) {
  std::vector<SetPicture> pictures = two_systems().pictures;
  EXPECT_EQ(pictures_title(pictures), "Maps");
  pictures[0].shares[0] = 0.03;
  EXPECT_EQ(pictures_title(pictures), "Texts far apart");
}

TEST(ScorePage, SpreadsTheBestSystemFirst) {
  const std::string html = distributions_html(two_systems().run);
  EXPECT_LT(html.find(">b</text>"), html.find(">a</text>")) << html;
}

TEST(ScorePage, SpreadsOneValueOverTheRangeOfItsMetric) {
  RunReport run = two_systems().run;
  for (Result& one : run.results) one.segments = {{"petersen", {0, 0, 0}}};
  const std::string html = distributions_html(run);
  EXPECT_EQ(html.find("\u22120."), std::string::npos) << "no score is below 0: " << html;
  EXPECT_NE(html.find(">1.0</text>"), std::string::npos) << html;
}

TEST(ScorePage, DirectionOfATextIsItsOwn) {
  const std::string html = examples_html(two_systems());
  EXPECT_NE(html.find("<small>a</small><span class=\"t\" dir=\"auto\">"), std::string::npos) << html;
}

TEST(ScorePage, OfSetsIsHeadedByTheDistanceToPeople) {
  Ceiling ceiling;
  ceiling.metric = ceiling.requested = "impar";
  ceiling.samples = "sentence";
  ceiling.people.scores = {{"precision", 0.9}};
  ceiling.texts = 500;
  for (const char* name : {"a", "b"})
    ceiling.systems.push_back({name, {{"precision", 0.8}}, {}, {}, Standing::alike});
  EXPECT_EQ(people_headline({ceiling}, 2).text, "") << "another metric has no people beside it";
  EXPECT_EQ(people_headline({ceiling}, 1).text,
            name_html("a") + " and " + name_html("b") + " cannot be told from people at this size");
  ceiling.systems[1].standing = Standing::farther;
  const Headline found = people_headline({ceiling}, 1);
  EXPECT_EQ(found.text, name_html("b") + " is farther from the reference than people");
  EXPECT_EQ(found.detail, name_html("a") + " cannot be told from people at this size.");
  ceiling.systems[1].standing = Standing::alike;
  ceiling.systems[1].standings = {{"recall", Standing::farther}};
  EXPECT_EQ(people_headline({ceiling}, 1).text, name_html("b") + " is behind people in some results");
}

TEST(ScorePage, FoldsAllButTheFirstExamples) {
  ScorePage page = two_systems();
  page.examples.push_back(page.examples.front());
  EXPECT_EQ(occurrences(examples_html(page), "<details>"), 1u);
}

TEST(ScorePage, HasTheExamplesOfTheBestSystemFirst) {
  ScorePage page = two_systems();  // "b" is the better one
  page.examples[0].metric = "me:k=1";
  page.examples.push_back(page.examples[0]);
  page.examples[1].system = "b";
  const std::string html = examples_html(page);
  EXPECT_LT(html.find("me:k=1, b"), html.find("me:k=1, a")) << html;
}

TEST(SegmentViewer, KeepsSeveralReferencesApart) {
  SegmentTexts texts;
  texts.add(nullptr, {"one", "two"}, {"x", "y"});
  texts.add(nullptr, {"only"}, {"x", "y"});
  const std::string html = explore_html(texts, two_systems().run);
  EXPECT_NE(html.find("\"references\":[[\"one\",\"two\"],\"only\"]"), std::string::npos)
      << html.substr(0, 800);
}

TEST(SegmentViewer, OpensWithTheLeaderBesideTheRunnerUpOrTheBaseline) {
  SegmentTexts texts;
  texts.add(nullptr, {"r"}, {"x", "y", "z"});
  RunReport run;
  run.results = {result("a", "1", 0.25), result("b", "1", 0.75), result("c", "1", 0.5)};
  EXPECT_NE(explore_html(texts, run).find("\"totals\":[[0.25,0.75,0.5]],\"first\":1,\"second\":2"),
            std::string::npos);
  EXPECT_NE(explore_html(texts, run, 0).find("\"first\":1,\"second\":0"), std::string::npos);
  EXPECT_NE(explore_html(texts, run, 1).find("\"first\":1,\"second\":2"), std::string::npos)
      << "the baseline leads: it stands beside the runner-up";
}

TEST(ScorePage, SaysWhatIsSampledAndWhatLiesOutside) {
  const std::string page = score_page(two_systems());
  EXPECT_NE(page.find("A sample: 2 of 150 rows are drawn."), std::string::npos);
  EXPECT_NE(page.find("Far from the reference: the 1 farthest of 12"), std::string::npos);
  EXPECT_NE(page.find("&lt;img src=x&gt;"), std::string::npos);
}

TEST(ScorePage, DrawsScoresOverKWhereThreeWereAskedFor) {
  RunReport run{{result("a", "1", 0.25), result("a", "3", 0.5)}, {}};
  EXPECT_EQ(k_curves_html(run), "");
  run.results.push_back(result("a", "5", 0.75));
  EXPECT_EQ(occurrences(k_curves_html(run), "<svg"), 1u);
}

TEST(ScorePage, TellsCurvesOfTwoVariantsOfAMetricApart) {
  RunReport run;
  for (const char* unit : {"sentence", "word"}) {
    for (const char* k : {"1", "3", "5"}) {
      run.results.push_back(result("a", k, 0.5));
      if (unit == std::string_view("word"))
        run.results.back().requested = std::string("me:samples=word,k=") + k + ",layers=2";
      run.results.back().signature_parts.emplace_back("samples", unit);
    }
  }
  const std::string html = k_curves_html(run);
  EXPECT_EQ(occurrences(html, "<svg"), 2u);
  EXPECT_NE(html.find("me, a"), std::string::npos) << html;
  EXPECT_NE(html.find("me:samples=word,layers=2, a"), std::string::npos) << html;
}

TEST(ScorePage, ShadesWordsWithoutPartner) {
  const std::string html = examples_html(two_systems());
  EXPECT_NE(html.find("<span class=\"m4\">&lt;script&gt;</span>"), std::string::npos) << html;
  EXPECT_NE(html.find("<span class=\"m4\">safe</span> &amp; sound"), std::string::npos) << html;
}

TEST(ScorePage, ShadesNoBlanks) {
  ScorePage page = two_systems();
  page.examples[0].worst[0].reference_rows = {{0, 7, 1}, {5, 12, 1}};
  const std::string html = examples_html(page);
  EXPECT_NE(html.find("<span class=\"m4\">safe</span> &amp; sound"), std::string::npos) << html;
}

TEST(ScorePage, IsTheSameBytesEachTime) {
  EXPECT_EQ(score_page(two_systems()), score_page(two_systems()));
}

TEST(RankingHtml, PartsClustersAndPutsTheBetterInTheRow) {
  ComparedResult ter;
  ter.metric = ter.requested = ter.result = "ter";
  ter.higher_is_better = false;
  ter.signature = "ter|version:0";
  ter.systems = {{"base<", 50, {}, {}, {49, 51}, 2, 2, 2},
                 {"mine", 40, {}, {}, {39, 41}, 1, 1, 1},
                 {"other", 41, {}, {}, {40, 42}, 1, 1, 1}};
  ter.pairs = {{0, 1, -10, {}, 0.001, 0.002}, {0, 2, -9, {}, 0.005, 0.01}, {1, 2, 1, {}, 0.6, 0.6}};
  const std::string html = rankings_html({{ter}, "holm", 0.05, {}});
  EXPECT_EQ(XmlCheck(html, true).fault(), "");
  EXPECT_EQ(occurrences(html, "rule dashed"), 1u);
  EXPECT_NE(html.find("<title>mine over base&lt;: p = 0.002</title>"), std::string::npos);
  EXPECT_NE(html.find("<title>mine over other: p = 0.600</title>"), std::string::npos);
  EXPECT_LT(html.find(">mine</text>"), html.find(">base&lt;</text>"));
}

ComparisonPage comparison() {
  ComparisonPage page;
  page.score = two_systems();
  page.run.correction = "holm";
  for (const char* name : {"petersen", "capture"}) {
    ComparedResult result;
    result.metric = "me";
    result.requested = "me:k=3";
    result.result = name;
    result.test = "split-halves";
    result.signature = "me|test:split-halves";
    result.systems = {{"a", 0.25, {}, {}, {0.2, 0.3}, 2, 2, 2}, {"b<", 0.75, {}, {}, {0.7, 0.8}, 1, 1, 1}};
    result.pairs = {{0, 1, 0.5, Interval{0.4, 0.6}, 0.004, 0.008}};
    page.run.results.push_back(result);
  }
  return page;
}

TEST(ComparisonPage, RanksSystemsByEveryResultAndShowsTheirSegments) {
  const std::string page = comparison_page(comparison());
  const XmlCheck check(page, true);
  EXPECT_EQ(check.fault(), "");
  EXPECT_EQ(occurrences(page, "aria-label=\"Dot plot"), 2u);
  EXPECT_EQ(occurrences(page, "aria-label=\"Significance matrix"), 2u);
  EXPECT_EQ(occurrences(page, "aria-label=\"Distribution"), 1u);
  EXPECT_EQ(occurrences(page, "aria-label=\"Map"), 1u);
  EXPECT_EQ(occurrences(page, "me|test:split-halves"), 1u);
  EXPECT_NE(page.find("Split-halves of all pairs of systems, p-values adjusted by holm, separated at 0.05. "
                      "Systems on different sides of a dashed line above differ."),
            std::string::npos);
  EXPECT_NE(page.find("<title>b&lt; over a: p = 0.008</title>"), std::string::npos);
  EXPECT_NE(page.find("<td data-label=\"difference from a\" class=\"n\"><span>baseline</span></td>"),
            std::string::npos)
      << page;
  EXPECT_NE(page.find(">0.500 <small>[0.400, 0.600]</small>"), std::string::npos);
}

TEST(ComparisonPage, SaysWhereNothingWasAdjusted) {
  ComparisonPage page = comparison();
  page.run.correction = "none";
  EXPECT_NE(comparison_page(page).find("p-values not adjusted"), std::string::npos);
}

CorrelationPage correlation() {
  CorrelationPage page;
  page.facts.title = "t";
  auto& [run, table] = page.parts.emplace_back();
  run.gold = "human <z>";
  table.gold = {1, 2, std::nullopt, 4};
  table.predicted = {{"<bleu>", {0.1, 0.2, 0.3, 0.4}}, {"chrf", {0.4, 0.2, 0.3, std::nullopt}}};
  run.coefficients = {"pearson"};
  run.predicted = {"<bleu>", "chrf"};
  run.rows = {{"<bleu>", "de", 2, 0, {0.5}, {}, {}},
              {"<bleu>", "mean", 3, 1, {0.625}, {1}, {}},
              {"chrf", "de", 2, 0, {std::nullopt}, {}, {}},
              {"chrf", "mean", 2, 2, {std::nullopt}, {0}, {}}};
  meta::MetricDifference difference;
  difference.second = 1;
  difference.group = "mean";
  difference.difference = -0.25;
  difference.first_value = 0.5;
  difference.second_value = 0.75;
  difference.p_value = 0.004;
  difference.p_adjusted = 0.008;
  run.tests = CorrelationTests{"perm-both", "pearson", "holm", {}, {difference}};
  run.signature = "correlate|gold:human";
  return page;
}

TEST(CorrelationPage, IsWellFormedWithAllItsCharts) {
  const std::string page = correlation_page(correlation());
  const XmlCheck check(page, true);
  EXPECT_EQ(check.fault(), "");
  EXPECT_EQ(check.count("svg"), 1u + 1u + 2u);  // coefficient, matrix, scatters
  EXPECT_EQ(occurrences(page, "correlate|gold:human"), 1u);
}

TEST(CorrelationPage, TheBetterMetricStandsInTheRow) {
  const std::string html = significance_html(correlation().parts[0].run);
  EXPECT_NE(html.find("<title>chrf over &lt;bleu&gt;: p = 0.008</title>"), std::string::npos) << html;
}

TEST(CorrelationPage, MissingValuesAreNotDrawn) {
  const std::string html = scatters_html(correlation().parts[0].table, "gold");
  EXPECT_EQ(occurrences(html, "<circle"), 3u + 2u);
}

}  // namespace
}  // namespace markeval::report
