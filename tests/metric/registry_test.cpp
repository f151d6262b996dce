#include "metric/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "support/temp_folder.hpp"

namespace markeval::metric {
namespace {

TEST(Registry, NamesAreDistinctAndComplete) {
  std::set<std::string> names;
  for (const MetricInfo& info : registry()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.results.empty()) << info.name;
    EXPECT_EQ(std::count(info.results.begin(), info.results.end(), info.main), 1) << info.name;
    EXPECT_FALSE(info.summary.empty()) << info.name;
    EXPECT_FALSE(info.paper.empty()) << info.name;
    for (const OptionSpec& option : info.options)
      EXPECT_FALSE(option.meaning.empty()) << info.name << option.name;
  }
}

TEST(Registry, NamesOneMainResultPerMetric) {
  for (const char* name : {"bertscore", "hmd", "rouge1", "rougeLsum", "rougeWE"})
    EXPECT_EQ(find_metric(name).main, "f1") << name;
  EXPECT_EQ(find_metric("bertr").main, "recall");
  EXPECT_EQ(find_metric("me").main, "petersen");
  EXPECT_EQ(find_metric("bleu").main, "bleu");
}

TEST(Registry, DefaultsAreAllowedValues) {
  for (const MetricInfo& info : registry()) {
    for (const OptionSpec& option : info.options) {
      Metric{info.name + ":" + option.name + "=" + shown(option.default_value)};
    }
  }
}

TEST(Registry, SetMetricsHaveTheOptionsEveryoneAsksFor) {
  for (const MetricInfo& info : registry()) {
    if (info.kind != Kind::set) continue;
    for (const char* name : {"samples", "scope", "layers", "multi"}) {
      const bool has = std::any_of(info.options.begin(), info.options.end(),
                                   [&](const OptionSpec& spec) { return spec.name == name; });
      EXPECT_TRUE(has) << info.name << " " << name;
    }
  }
}

TEST(OptionValues, OfAnOptionThatIsMissingAreAnError) {
  const std::vector<OptionSpec> specs{count_option("k", 3, 1, "neighbours")};
  const OptionValues values("fresh", specs, "");
  EXPECT_EQ(values.count("k"), 3u);
  EXPECT_ERROR(values.text("samples"), ErrorCode::usage, "fresh has no option 'samples'");
}

TEST(OptionValues, AreEqualWhereTheirValuesAre) {
  const std::vector<OptionSpec> specs{count_option("k", 3, 1, "neighbours"),
                                      real_option("weight", 0.5, "of something"),
                                      real_option("threshold", {}, "without a default")};
  EXPECT_EQ(OptionValues("fresh", specs, "k=05,weight=.50"), OptionValues("fresh", specs, "weight=0.5,k=5"));
  EXPECT_NE(OptionValues("fresh", specs, "k=5"), OptionValues("fresh", specs, "k=6"));
  const OptionValues values("fresh", specs, "k=05,threshold=");
  EXPECT_EQ(values.shown("k"), "5");
  EXPECT_EQ(values.real("weight"), 0.5);
  EXPECT_EQ(values.shown("threshold"), "") << "a default may be typed, also none";
}

TEST(Metric, TakesDefaultsAndGivenValues) {
  const Metric plain = Metric("me");
  EXPECT_EQ(plain.options.count("k"), 1u);
  EXPECT_FALSE(plain.options.given("k"));
  const Metric chosen = Metric("me:k=3,samples=word");
  EXPECT_EQ(chosen.options.count("k"), 3u);
  EXPECT_TRUE(chosen.options.given("k"));
  EXPECT_EQ(chosen.options.text("samples"), "word");
  EXPECT_EQ(chosen.text, "me:k=3,samples=word");
}

TEST(Metric, MayHaveANameAndOneResult) {
  const Metric words = Metric("words=me.capture:samples=word");
  EXPECT_EQ(words.text, "words");
  EXPECT_EQ(words.info->name, "me");
  EXPECT_EQ(words.options.text("samples"), "word");
  EXPECT_TRUE(words.wants("capture"));
  EXPECT_FALSE(words.wants("petersen"));
  EXPECT_EQ(Metric("bertscore.f1").text, "bertscore.f1");
  EXPECT_TRUE(Metric("bertscore").wants("recall"));
}

TEST(SplitMetrics, EndsARequestWhereAMetricFollows) {
  using List = std::vector<std::string>;
  EXPECT_EQ(split_metrics("bleu"), List{"bleu"});
  EXPECT_EQ(split_metrics("bleu,chrf++"), (List{"bleu", "chrf++"}));
  EXPECT_EQ(split_metrics("me:k=3,samples=word,ter"), (List{"me:k=3,samples=word", "ter"}));
  EXPECT_EQ(split_metrics("me:k=3,w=me:samples=word,bertscore.f1"),
            (List{"me:k=3", "w=me:samples=word", "bertscore.f1"}));
  EXPECT_EQ(split_metrics("bleu:max_order,smooth=exp"), List{"bleu:max_order,smooth=exp"})
      << "for the message about it";
  EXPECT_EQ(split_metrics("blue,chrf"), (List{"blue", "chrf"}));
}

TEST(Metric, MistypedWordsGetTheClosestRightOne) {
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_ERROR(Metric{text}, ErrorCode::usage, part);
  };
  expect("prcd", "unknown metric 'prcd'; did you mean 'prdc'?");
  expect("nonsense", "unknown metric 'nonsense'; `markeval metrics` lists them");
  expect("", "unknown metric ''");
  expect("prd:cluster=3", "prd: unknown option 'cluster'; did you mean 'clusters'?");
  expect("prdc:ball=opne", "prdc: unknown value 'opne' for ball; did you mean 'open'?");
  expect("me:k=0", "me: k='0', expected a whole number from 1 to");
  expect("me:k=-1", "me: k='-1', expected a whole number");
  expect("me:k=1.5", "me: k='1.5', expected a whole number");
  expect("me:k=", "me: k='', expected a whole number");
  expect("me:k=3,k=4", "me: option 'k' is given twice");
  expect("me:k", "me: option 'k' has no value, expected k=VALUE");
  expect("me:x", "me: 'x' is no option, expected name=value");
  expect("bertscore.f2", "bertscore has no result 'f2'; did you mean 'f1'?");
  expect("bleu=chrf", "metric 'bleu=chrf', expected a name of your own before the '=', 'bleu' is a metric's");
  expect("comet", "metric 'comet' is not offered: ");
  expect("me:k=99999999999999999999999", "expected a whole number from 1 to");
  EXPECT_EQ(Metric("BERTScore").info->name, "bertscore") << "people's spelling of names is taken";
}

}  // namespace
}  // namespace markeval::metric
