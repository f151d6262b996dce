// Numbers of the public tools (named in golden.json, made by make_golden.py) for sentences written for this
// project.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "support/lexical_request.hpp"

namespace markeval {
namespace {

using nlohmann::json;

const json& golden() {
  static const json file = [] {
    std::ifstream stream(MARKEVAL_LEXICAL_GOLDEN);
    return json::parse(stream);
  }();
  return file;
}

json first_references(std::size_t count) {
  json references = json::array();
  for (const json& segment : golden()["references"]) {
    json kept = json::array();
    for (std::size_t r = 0; r < count; ++r) kept.push_back(segment[r]);
    references.push_back(kept);
  }
  return references;
}

class LexicalGolden : public ::testing::TestWithParam<std::size_t> {};

TEST_P(LexicalGolden, EqualsThePublicTool) {
  const json& one = golden()["cases"][GetParam()];
  SCOPED_TRACE(one["metric"].dump() + one["options"].dump() + " by " + one["tool"].dump());
  const json ours = test::answer({{"metric", one["metric"]},
                                  {"options", one["options"]},
                                  {"references", first_references(one["references"])},
                                  {"systems", golden()["systems"]}});
  for (std::size_t s = 0; s < one["expected"].size(); ++s) {
    const json &expected = one["expected"][s], &mine = ours["systems"][s];
    EXPECT_EQ(ours.value("signature", json()), expected.value("signature", json()));
    EXPECT_EQ(mine.value("statistics", json()), expected.value("statistics", json()));
    for (const auto& [name, value] : expected["scores"].items()) {
      EXPECT_NEAR(mine[name].get<double>(), value.get<double>(), 1e-9) << name;
    }
    for (const auto& [name, values] : expected["segments"].items()) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_NEAR(mine[name][i].get<double>(), values[i].get<double>(), 1e-9)
            << name << " of segment " << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, LexicalGolden, ::testing::Range(std::size_t{0}, golden()["cases"].size()),
                         [](const auto& instance) {
                           const json& one = golden()["cases"][instance.param];
                           return one["metric"].get<std::string>() + "_" + std::to_string(instance.param);
                         });

class LexicalPairedGolden : public ::testing::TestWithParam<std::size_t> {};

TEST_P(LexicalPairedGolden, HasThePublicToolsIntervalsAndPValues) {
  const json& one = golden()["paired"][GetParam()];
  const std::string test = one["test"];
  const json ours = test::answer({{"metric", one["metric"]},
                                  {"options", one["options"]},
                                  {"references", first_references(1)},
                                  {"systems", golden()["systems"]},
                                  {"paired_" + test, one["repetitions"]}});
  for (std::size_t s = 0; s < one["expected"].size(); ++s) {
    const json &expected = one["expected"][s], &mine = ours["paired"][s];
    ASSERT_EQ(mine.contains("p_value"), expected.contains("p_value"));
    EXPECT_EQ(mine.value("p_value", json()), expected.value("p_value", json()));
    for (const char* name : {"score", "mean", "ci"}) {
      if (!expected.contains(name)) continue;
      EXPECT_NEAR(mine[name].get<double>(), expected[name].get<double>(), 1e-9) << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tests, LexicalPairedGolden,
                         ::testing::Range(std::size_t{0}, golden()["paired"].size()),
                         [](const auto& instance) {
                           const json& one = golden()["paired"][instance.param];
                           return one["metric"].get<std::string>() + "_" + one["test"].get<std::string>();
                         });

}  // namespace
}  // namespace markeval
