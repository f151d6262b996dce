#include "report/run_report.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <locale>
#include <nlohmann/json.hpp>

#include "base/cancellation.hpp"
#include "report/cells.hpp"
#include "support/temp_folder.hpp"

namespace markeval::report {
namespace {

Result result(const std::string& system, const std::string& requested, double petersen, double capture) {
  Result result;
  result.metric = requested.substr(0, requested.find(':'));
  result.requested = requested;
  result.system = system;
  result.scores = {{"petersen", petersen}, {"capture", capture}};
  result.details = {{"rows", std::uint64_t{300}},
                    {"petersen_estimate", std::numeric_limits<double>::infinity()},
                    {"filter", std::string("direct")},
                    {"radii", std::vector<double>{0.5, 1.25}}};
  result.signature_parts = {{"k", "1"}, {"version", "0.1.0"}};
  return result;
}

RunReport report_of_two_systems() {
  return {{result("good", "me", 0.123456789012, 1), result("a longer name", "me", 0, 0.00001234)},
          {"careful"}};
}

TEST(ReportWriting, CanBeStopped) {
  RunReport report = report_of_two_systems();
  report.results.front().segments = {{"petersen", {0.5, 0.25}}};
  const std::atomic<bool> cancel{true};
  const CancelScope stoppable(&cancel);
  EXPECT_ERROR(to_json(report), ErrorCode::cancelled, "stopped on request");
  EXPECT_ERROR(to_tsv(report), ErrorCode::cancelled, "stopped on request");
  EXPECT_ERROR(to_text(report), ErrorCode::cancelled, "stopped on request");
}

TEST(Align, PutsNumbersFlushRight) {
  EXPECT_EQ(align({{"a", "long", "x"}, {"bcd", "1", "22"}}, 1), "a    long   x\nbcd     1  22\n");
}

TEST(Align, CountsCharactersNotBytes) {
  EXPECT_EQ(align({{"\u00e9", "x"}, {"ab", "y"}}, 1), "\u00e9   x\nab  y\n");
}

TEST(Align, SpellsOutWhatATerminalObeys) {
  EXPECT_EQ(align({{"a\x1b[2J", "1"}, {"\u202Eb", "2"}}, 1), "a\\x1b[2J       1\n\\xe2\\x80\\xaeb  2\n");
}

TEST(Text, OneTablePerMetricWithItsSignature) {
  EXPECT_EQ(to_text(report_of_two_systems()),
            "me             petersen  capture\n"
            "good             0.1235   1.0000\n"
            "a longer name    0.0000   0.0000\n\n"
            "signature: me|k:1|version:0.1.0\n");
}

TEST(Text, OfSeveralMetricsShowsTheMainResults) {
  const RunReport report{{result("a", "me", 0.5, 1), result("a", "me:k=3", 0.75, 1),
                          result("b", "me", 0.625, 1), result("b", "me:k=3", 0.5, 1)},
                         {}};
  EXPECT_EQ(to_text(report),
            "system  me petersen  me:k=3 petersen\nb            0.6250           0.5000\n"
            "a            0.5000           0.7500\n\nsignature: me|k:1|version:0.1.0\n");
  EXPECT_EQ(to_text(report, {TableStyle::markdown, 2, false}),
            "| system | me petersen | me:k=3 petersen |\n|---|--:|--:|\n| b | **0.62** | 0.50 |\n"
            "| a | 0.50 | **0.75** |\n\n<!-- signature: me|k:1|version:0.1.0 -->\n");
}

TEST(Text, WithDetailsEveryMetricHasATable) {
  const RunReport report{{result("a", "me", 0.5, 1), result("a", "me:k=3", 0.75, 1)}, {}};
  EXPECT_EQ(to_text(report, {TableStyle::text, std::nullopt, true}),
            "system  me petersen  me:k=3 petersen\na            0.5000           0.7500\n\n"
            "me  petersen  capture\na     0.5000   1.0000\n\n"
            "me:k=3  petersen  capture\na         0.7500   1.0000\n\nsignature: me|k:1|version:0.1.0\n");
}

TEST(Text, OfOneMetricPutsTheBestFirst) {
  RunReport report{{result("worse", "me", 0.25, 1), result("better", "me", 0.5, 0)}, {}};
  EXPECT_EQ(to_text(report).find("better"), to_text(report).find('\n') + 1);
  for (Result& one : report.results)
    one.metric = one.requested = "ter", one.scores = {{"ter", one.scores[0].second}};
  EXPECT_TRUE(
      to_text(report).starts_with("system  ter \u2193\nworse    0.25\nbetter   0.50\n\u2193 lower is"))
      << to_text(report);
}

TEST(Text, SaysWhereSeveralSignaturesStand) {
  RunReport report{{result("a", "me", 0.5, 1), result("a", "me:k=3", 0.75, 1)}, {}};
  report.results[1].signature_parts = {{"k", "3"}, {"version", "0.1.0"}};
  EXPECT_TRUE(to_text(report).ends_with("\n\n2 signatures: the JSON has them\n")) << to_text(report);
  TextOptions all;
  all.signatures = true;
  EXPECT_TRUE(to_text(report, all)
                  .ends_with("\n\nsignature: me|k:1|version:0.1.0\nsignature: me|k:3|version:0.1.0\n"))
      << to_text(report, all);
  all.style = TableStyle::latex;
  EXPECT_TRUE(to_text(report, all).ends_with("\n% signature: me|k:3|version:0.1.0\n"))
      << to_text(report, all);
}

TEST(Json, HasTheShapeOfTheManual) {
  const auto json = nlohmann::json::parse(to_json(report_of_two_systems()));
  EXPECT_EQ(json["markeval"], "0.1.0");
  ASSERT_EQ(json["results"].size(), 2u);
  const auto& first = json["results"][0];
  EXPECT_EQ(first["system"], "good");
  EXPECT_EQ(first["metric"], "me");
  EXPECT_EQ(first["scores"]["petersen"].get<double>(), 0.123456789012);
  EXPECT_EQ(first["details"]["rows"].dump(), "300");
  EXPECT_TRUE(first["details"]["petersen_estimate"].is_null());
  EXPECT_EQ(first["details"]["radii"].dump(), "[0.5,1.25]");
  EXPECT_EQ(first["signature"], "me|k:1|version:0.1.0");
  EXPECT_FALSE(first.contains("segments"));
  EXPECT_FALSE(first.contains("ci"));
  EXPECT_EQ(json["warnings"].dump(), "[\"careful\"]");
}

TEST(Json, SegmentsAndIntervalsWhereThereAreAny) {
  RunReport report = report_of_two_systems();
  report.results[0].segments = {{"petersen", {0.25, 1}}};
  report.results[0].intervals = {{"petersen", {0.1, 0.2}}};
  const auto json = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(json["results"][0]["segments"]["petersen"].dump(), "[0.25,1.0]");
  EXPECT_EQ(json["results"][0]["ci"]["petersen"].dump(), "[0.1,0.2]");
}

TEST(Json, NamesThatAreNotUtf8DoNoHarm) {
  EXPECT_TRUE(nlohmann::json::accept(to_json({{result("\xff", "me", 1, 1)}, {}})));
}

TEST(Tsv, OneLinePerNumberThatReadsBackExactly) {
  EXPECT_EQ(to_tsv(report_of_two_systems()),
            "system\tmetric\tresult\tvalue\n"
            "good\tme\tpetersen\t0.123456789012\n"
            "good\tme\tcapture\t1\n"
            "a longer name\tme\tpetersen\t0\n"
            "a longer name\tme\tcapture\t1.234e-05\n");
}

TEST(Tsv, TellsApartMetricsAskedForTwiceAndKeepsFieldsWhole) {
  const RunReport report{{result("a\tb", "me", 0.5, 1), result("a\tb", "me:k=3", 0.75, 1)}, {}};
  EXPECT_EQ(to_tsv(report),
            "system\tmetric\tresult\tvalue\na b\tme\tpetersen\t0.5\na b\tme\tcapture\t1\n"
            "a b\tme:k=3\tpetersen\t0.75\na b\tme:k=3\tcapture\t1\n");
}

TEST(Tsv, SegmentsHaveAColumn) {
  RunReport report{{result("a", "me", 0.5, 1)}, {}};
  report.results[0].segments = {{"petersen", {0.25, 1}}};
  EXPECT_EQ(to_tsv(report),
            "system\tsegment\tmetric\tresult\tvalue\na\t1\tme\tpetersen\t0.25\na\t2\tme\tpetersen\t1\n");
}

class CommaForPoint : public std::numpunct<char> {
 protected:
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(EveryFormat, IsTheSameInEveryLocale) {
  RunReport report = report_of_two_systems();
  report.results[0].details[0].second = std::uint64_t{1234567};
  const std::string before = to_text(report) + to_json(report) + to_tsv(report);
  const std::locale old = std::locale::global(std::locale(std::locale(), new CommaForPoint));
  const std::string after = to_text(report) + to_json(report) + to_tsv(report);
  std::locale::global(old);
  EXPECT_EQ(before, after);
}

TEST(Explanations, NameFileAndRowOfAUnion) {
  metric::SetExplanation explanation;
  explanation.metric = "me";
  explanation.system = "a";
  explanation.off_manifold = {{.row = 4, .nearest_centre = 3, .distance = 5, .radius = 2}};
  explanation.missing_modes = {{.row = 2, .nearest_centre = 0, .distance = 3, .radius = 2.5}};
  const RowLookup reference = [](std::size_t row) {
    return row < 3 ? RowOrigin{"one.npy", row + 1, false, "", "", 0}
                   : RowOrigin{"two.npy", row - 2, false, "", "", 0};
  };
  const RowLookup system = [](std::size_t row) { return RowOrigin{"a.npy", row + 1, false, "", "", 0}; };
  const auto json = nlohmann::json::parse(
      explanations_to_json({explain_sets(explanation, reference, system)}, {}))["explanations"][0];
  EXPECT_EQ(json["off_manifold"][0]["file"], "a.npy");
  EXPECT_EQ(json["off_manifold"][0]["row"], 5);
  EXPECT_EQ(json["off_manifold"][0]["outside_by"], 3.0);
  EXPECT_EQ(json["off_manifold"][0]["nearest"]["file"], "two.npy");
  EXPECT_EQ(json["off_manifold"][0]["nearest"]["row"], 1);
  EXPECT_EQ(json["missing_modes"][0]["file"], "one.npy");
  EXPECT_EQ(json["missing_modes"][0]["row"], 3);
}

TEST(Explanations, ShowTheTextBehindARow) {
  metric::SetExplanation explanation;
  explanation.off_manifold = {{.row = 0, .nearest_centre = 1, .distance = 5, .radius = 2}};
  const RowLookup place = [](std::size_t row) {
    return RowOrigin{"a.tsv", row + 2, true, "A <b>cat</b>", row == 0 ? "cat" : "", 4};
  };
  const auto json = nlohmann::json::parse(explanations_to_json({explain_sets(explanation, place, place)},
                                                               {}))["explanations"][0]["off_manifold"][0];
  EXPECT_EQ(json["line"], 2);
  EXPECT_FALSE(json.contains("row"));
  EXPECT_EQ(json["text"], "A <b>cat</b>");
  EXPECT_EQ(json["word"], "cat");
  EXPECT_EQ(json["layer"], 4);
  EXPECT_EQ(json["nearest"]["line"], 3);
  EXPECT_FALSE(json["nearest"].contains("word"));
}

TEST(Tsv, AMetricOfTheWholeStandsAmongSegments) {
  RunReport report = report_of_two_systems();
  report.results.resize(1);
  report.results.push_back(report.results[0]);
  report.results[0].scores = {{"petersen", 0.5}};
  report.results[1].metric = report.results[1].requested = "chrf";
  report.results[1].scores = {{"chrf", 20}};
  report.results[1].segments = {{"chrf", {10, 30}}};
  EXPECT_EQ(to_tsv(report),
            "system\tsegment\tmetric\tresult\tvalue\ngood\tall\tme\tpetersen\t0.5\ngood\t1\tchrf\tchrf\t10\n"
            "good\t2\tchrf\tchrf\t30\n");
}

TEST(Metrics, AreListedForPeopleAndPrograms) {
  const std::string text = metrics_to_text(metric::registry());
  const auto json = nlohmann::json::parse(metrics_to_json(metric::registry()));
  ASSERT_EQ(json["metrics"].size(), metric::registry().size());
  for (const auto& entry : json["metrics"]) {
    EXPECT_NE(text.find(entry["name"].get<std::string>() + "  "), std::string::npos);
    EXPECT_NE(text.find(entry["paper"].get<std::string>()), std::string::npos);
  }
  EXPECT_EQ(json["metrics"][0]["name"], "me");
  EXPECT_EQ(json["metrics"][0]["options"][0]["default"], 1);
  EXPECT_EQ(json["metrics"][0]["results"].size(), 4u);
}

}  // namespace
}  // namespace markeval::report
