// Every chart: well-formed, nothing a user wrote becomes markup, the same bytes each time, and what it is
// drawn for can be found in it.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <regex>

#include "report/occurrences.hpp"
#include "report/svg_alignment.hpp"
#include "report/svg_axes.hpp"
#include "report/svg_dot_plot.hpp"
#include "report/svg_histogram.hpp"
#include "report/svg_line_chart.hpp"
#include "report/svg_map.hpp"
#include "report/svg_matrix.hpp"
#include "report/svg_scatter.hpp"
#include "report/svg_style.hpp"
#include "support/xml_check.hpp"

namespace markeval::report {
namespace {

using markeval::testing::XmlCheck;

const std::string kEvil = "<script>alert(1)</script>&\"'\x01\xff";

const std::vector<double>& scores() {
  static const std::vector<double> values = [] {
    std::vector<double> list;
    for (int i = 0; i < 200; ++i) list.push_back(0.5 + 0.4 * std::sin(i));
    return list;
  }();
  return values;
}

metric::PairExplanation explanation(const std::string& candidate, const std::string& reference) {
  metric::PairExplanation pair;
  pair.metric = "bertscore";
  pair.system = kEvil;
  pair.segment = 3;
  pair.candidate_text = candidate;
  pair.reference_text = reference;
  pair.candidate_rows = {{0, 0, 0}, {0, 3, 1}, {3, candidate.size(), 1}, {0, 0, 0}};
  pair.reference_rows = {{0, 0, 0}, {0, 2, 1}, {2, reference.size(), 1}, {0, 0, 0}};
  pair.links = {{1, 1, 0.9, 1, false}, {1, 1, 0.9, 1, true}, {2, 2, 0.4, 1, false}, {3, 2, 0.5, 1, true}};
  return pair;
}

DotPlot dot_plot() {
  return {kEvil, kEvil, {{kEvil, 0.25, Interval{0.2, 0.3}}, {"b", 0.75, {}, {0.5, 0.9}}, {"c", INFINITY}}};
}

struct Chart {
  std::string name;
  std::function<SvgCanvas()> draw;
};

class EveryChart : public ::testing::TestWithParam<Chart> {};

TEST_P(EveryChart, IsWellFormedInsideAPageAndAlone) {
  EXPECT_EQ(XmlCheck(GetParam().draw().inline_svg()).fault(), "");
  EXPECT_EQ(XmlCheck(GetParam().draw().standalone_svg()).fault(), "");
}

TEST_P(EveryChart, NeverTurnsTextIntoMarkup) {
  const std::string svg = GetParam().draw().standalone_svg();
  EXPECT_EQ(XmlCheck(svg).count("script"), 0u);
  EXPECT_EQ(svg.find(kEvil), std::string::npos);
}

TEST_P(EveryChart, IsTheSameBytesEachTime) {
  EXPECT_EQ(GetParam().draw().standalone_svg(), GetParam().draw().standalone_svg());
}

TEST_P(EveryChart, HasNoNumberThatIsNone) {
  const std::string svg = GetParam().draw().inline_svg();
  for (const char* bad : {"nan", "inf\"", "-0\""}) EXPECT_EQ(svg.find(bad), std::string::npos) << bad;
}

const metric::PairExplanation& shared_pair() {
  static const metric::PairExplanation pair = explanation("the<b>cat", "a dog");
  return pair;
}

INSTANTIATE_TEST_SUITE_P(
    Charts, EveryChart,
    ::testing::Values(
        Chart{"dots", [] { return draw_dot_plot(dot_plot()); }},
        Chart{"no_dots",
              [] {
                return draw_dot_plot({"empty", "", {}});
              }},
        Chart{"bars",
              [] {
                return draw_histogram({kEvil, {{kEvil, scores()}, {"none", {}}}});
              }},
        Chart{"strip",
              [] {
                return draw_histogram({"few", {{kEvil, std::span(scores()).first(9)}}});
              }},
        Chart{"scatter",
              [] {
                Scatter scatter{kEvil, kEvil, kEvil, {}};
                for (const double score : scores()) scatter.points.push_back({score, score * score});
                return draw_scatter(scatter);
              }},
        Chart{"one_point",
              [] {
                return draw_scatter({"one", "x", "y", {{0.5, 0.5}}});
              }},
        Chart{"matrix",
              [] {
                return draw_matrix({kEvil, kEvil, {kEvil, "b", "c"}, {{0, 1, 0.0005}, {0, 2, {}}}});
              }},
        Chart{"alignment", [] { return draw_alignment({&shared_pair()}); }},
        Chart{"flow",
              [] {
                metric::PairExplanation pair = shared_pair();
                pair.moves_weight = true;
                return draw_alignment({&pair});
              }},
        Chart{"map",
              [] {
                return draw_map(
                    {kEvil,
                     kEvil,
                     {{0, 0, MapRole::reference, kEvil, kEvil}, {1, 2, MapRole::off_manifold, "g1"}}});
              }},
        Chart{"empty_map",
              [] {
                return draw_map({"nothing", "a", {}});
              }},
        Chart{"lines",
              [] {
                return draw_line_chart(
                    {kEvil,
                     kEvil,
                     kEvil,
                     {{kEvil, {{1, 0.5, Interval{0.4, 0.6}}, {2, 0.75, Interval{0.7, 0.8}}}},
                      {"b", {{1, NAN}}, true}}});
              }},
        Chart{"no_lines",
              [] {
                return draw_line_chart({"empty", "x", "y", {}});
              }}),
    [](const auto& chart) { return chart.param.name; });

TEST(DotPlot, RanksRowsAndPutsThoseWithoutValueLast) {
  const std::string svg = draw_dot_plot(dot_plot()).inline_svg();
  const std::size_t first = svg.find(">b</text>"), second = svg.find("alert(1)&lt;/script"),
                    last = svg.find(">c</text>");
  EXPECT_LT(first, svg.find(">c</text>"));
  EXPECT_LT(first, svg.rfind("alert(1)&lt;/script"));
  EXPECT_NE(second, std::string::npos);
  EXPECT_NE(last, std::string::npos);
  EXPECT_EQ(occurrences(svg, "r=\"4.6\""), 2u);  // c has no dot
}

TEST(DotPlot, SetsClustersApart) {
  const DotPlot together{"t", "", {{"a", 3, {}, {}, 1}, {"b", 2, {}, {}, 1}, {"c", 1, {}, {}, 1}}};
  DotPlot apart = together;
  apart.rows[2].cluster = 3;
  EXPECT_EQ(occurrences(draw_dot_plot(together).inline_svg(), "rule dashed"), 0u);
  EXPECT_EQ(occurrences(draw_dot_plot(apart).inline_svg(), "rule dashed"), 1u);
}

TEST(Histogram, DrawsADotForEveryScoreWhereTheyAreFew) {
  const std::string svg = draw_histogram({"few", {{"a", std::span(scores()).first(9)}}}).inline_svg();
  EXPECT_EQ(occurrences(svg, "<circle"), 9u);
  EXPECT_EQ(occurrences(svg, "<rect"), 0u);
}

TEST(Histogram, KeepsHighStacksBelowTheNameOfTheirBand) {
  const std::vector<double> same(30, 0.5);
  const std::string svg = draw_histogram({"stack", {{"a", same}}, Interval{0, 1}}).inline_svg();
  const std::regex dot("cy=\"([0-9.]+)\" r=\"([0-9.]+)\""), label("y=\"([0-9.]+)\" class=\"text\"");
  std::smatch name;
  ASSERT_TRUE(std::regex_search(svg, name, label)) << svg;
  for (std::sregex_iterator at(svg.begin(), svg.end(), dot), end; at != end; ++at)
    EXPECT_GT(std::stod((*at)[1]) - std::stod((*at)[2]), std::stod(name[1]));
}

TEST(Chart, IsNoWiderThanItWasDrawn) {
  EXPECT_NE(
      draw_histogram({"few", {{"a", std::span(scores()).first(9)}}}).inline_svg().find("max-width:340px"),
      std::string::npos);
}

TEST(Histogram, DrawsBarsAsTallAsTheirShares) {
  std::vector<double> values(200, 0.0);
  values.insert(values.end(), 50, 1.0);
  const std::string svg = draw_histogram({"many", {{"a", values}}}).inline_svg();
  EXPECT_EQ(occurrences(svg, "<circle"), 0u);
  const std::regex bar("M[0-9.]+ ([0-9.]+)L[0-9.]+ ([0-9.]+)");
  std::vector<double> heights;
  for (std::sregex_iterator at(svg.begin(), svg.end(), bar), end; at != end; ++at)
    heights.push_back(std::stod((*at)[1]) - std::stod((*at)[2]));
  ASSERT_EQ(heights.size(), 2u) << svg;
  EXPECT_NEAR(heights[0], 4 * heights[1], 0.5);
}

TEST(Scatter, SamplesManyPointsEvenly) {
  EXPECT_EQ(even_sample(3, 10), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(even_sample(10, 4), (std::vector<std::size_t>{0, 2, 5, 7}));
  Scatter scatter{"many", "x", "y", std::vector<ScatterPoint>(1000, {1, 2}), 100};
  EXPECT_EQ(occurrences(draw_scatter(scatter).inline_svg(), "<circle"), 100u);
}

TEST(Matrix, IsDarkerTheSurer) {
  const std::string svg =
      draw_matrix({"m", "", {"a", "b", "c"}, {{0, 1, 0.0005}, {0, 2, 0.03}, {1, 2, 0.5}}}).inline_svg();
  EXPECT_NE(svg.find("class=\"scale5\"><title>a over b: p &lt;0.001<"), std::string::npos);
  EXPECT_NE(svg.find("class=\"scale2\"><title>a over c: p = 0.030<"), std::string::npos);
  EXPECT_NE(svg.find("class=\"scale0\"><title>b over c: p = 0.500<"), std::string::npos);
}

TEST(AlignmentPicture, ShowsThePiecesOfTheTextAndJoinsBothDirections) {
  const std::string svg = draw_alignment({&shared_pair()}).inline_svg();
  EXPECT_NE(svg.find(">the</text>"), std::string::npos);
  EXPECT_NE(svg.find(">&lt;b&gt;cat</text>"), std::string::npos);
  EXPECT_EQ(svg.find("\u2039"), std::string::npos) << "the marks at the ends of a text are no words";
  EXPECT_EQ(occurrences(svg, "<path"), 2u);
  EXPECT_EQ(occurrences(svg, "stroke-width:3.00"), 1u);  // chosen by both
}

TEST(AlignmentPicture, FlowsAreAsThickAsTheirShare) {
  metric::PairExplanation pair = shared_pair();
  pair.links = {{1, 1, 0.9, 0.5, false}, {2, 2, 0.4, 0.25, false}};
  pair.moves_weight = true;
  const std::string svg = draw_alignment({&pair}).inline_svg();
  EXPECT_EQ(occurrences(svg, "stroke-width:7.50"), 1u);
  EXPECT_EQ(occurrences(svg, "stroke-width:4.00"), 1u);
}

TEST(AlignmentPicture, StopsAtTheLimitOfRows) {
  Alignment alignment{&shared_pair()};
  alignment.row_limit = 1;
  EXPECT_EQ(occurrences(draw_alignment(alignment).inline_svg(), "<path"), 1u);
}

TEST(Map, MarksWhatLiesOutsideByShape) {
  const std::string svg = draw_map({"m",
                                    "mine",
                                    {{0, 0, MapRole::reference},
                                     {1, 0, MapRole::system},
                                     {0, 1, MapRole::missing_mode, "r1"},
                                     {3, 3, MapRole::off_manifold, "g1"}}})
                              .inline_svg();
  EXPECT_EQ(occurrences(svg, "line0 ring"), 2u);  // on the map and in the legend
  EXPECT_EQ(occurrences(svg, "line1 ring"), 2u);
  EXPECT_NE(svg.find(">g1</text>"), std::string::npos);
}

TEST(LineChart, NamesLinesAtTheirEndsWithoutOverlap) {
  const std::vector<double> places = keep_apart({100, 101, 20, 100}, 14, 0, 120);
  EXPECT_EQ(places[2], 20);
  std::vector<double> sorted = places;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 1; i < sorted.size(); ++i) EXPECT_GE(sorted[i] - sorted[i - 1], 14);
  EXPECT_LE(sorted.back(), 120);
}

TEST(Axis, EndsAtRoundNumbersAroundTheData) {
  const Axis axis = round_axis(0.13, 0.88, 0, 100, 4);
  EXPECT_EQ(axis.low, 0);
  EXPECT_EQ(axis.high, 1);
  EXPECT_EQ(axis(0.5), 50);
  EXPECT_EQ(axis.label(0.2), "0.2");
  EXPECT_EQ(round_axis(-3, 8, 0, 1, 4).label(-2), "\u22122");
}

TEST(Axis, CanBeDrawnForOneValue) {
  for (const double value : {0.0, 5.0, -2.0}) {
    const Axis axis = round_axis(value, value, 0, 100, 4);
    EXPECT_LT(axis.low, axis.high);
    EXPECT_GE(axis(value), 0);
    EXPECT_LE(axis(value), 100);
  }
}

TEST(Axis, CanBeDrawnForTheLargestNumbers) {
  constexpr double kMost = std::numeric_limits<double>::max();
  for (const double most : {1e308, kMost}) {
    for (const Axis& axis : {round_axis(-most, most, 0, 100, 4), tight_axis(-most, most, 0, 100, 4),
                             round_axis(most, most, 0, 100, 4)}) {
      for (const double value : {axis.low, axis.high, axis(most), axis.ticks.front(), axis.ticks.back()})
        EXPECT_TRUE(std::isfinite(value));
      EXPECT_GT(axis(most), 49);
      EXPECT_LE(axis(most), 100);
    }
  }
  EXPECT_EQ(round_axis(-1e308, 1e308, 0, 100, 4).label(-1e308), "\u22121e+308");
  Scatter scatter{"s", "x", "y", {}};
  for (int i = 0; i < 100; ++i) scatter.points.push_back({i % 2 == 0 ? kMost : -kMost, kMost});
  const std::vector<double> large{kMost, kMost, -kMost, 1};
  const std::string drawn =
      draw_scatter(scatter).inline_svg() + draw_histogram({"h", {{"a", large}}}).inline_svg();
  EXPECT_EQ(drawn.find("nan"), std::string::npos);
  EXPECT_EQ(drawn.find("inf"), std::string::npos);
}

TEST(Style, KnowsEveryClassTheChartsUse) {
  const std::string style = chart_style();
  for (std::size_t i = 0; i < kSeriesColours; ++i) {
    EXPECT_NE(style.find("." + series_fill(i) + "{"), std::string::npos);
    EXPECT_NE(style.find("." + series_line(i) + "{"), std::string::npos);
  }
  EXPECT_EQ(scale_fill(0), "scale0");
  EXPECT_EQ(scale_fill(1), "scale5");
  EXPECT_NE(style.find("prefers-color-scheme:dark"), std::string::npos);
}

}  // namespace
}  // namespace markeval::report
