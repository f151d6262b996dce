// No lexical score leaves its range by rounding, whatever its options. Equal texts come closest to its end.
// Two requests with one signature have the same scores.
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "metric/registry.hpp"

namespace markeval::metric {
namespace {

constexpr double kNoEnd = std::numeric_limits<double>::infinity();
const std::map<std::string, double> kLargest{
    {"bleu", 100},   {"sentbleu", 100}, {"chrf", 100},         {"chrf++", 100},
    {"cider", 10},   {"ter", kNoEnd},   {"character", kNoEnd}, {"nist", kNoEnd},
    {"wer", kNoEnd}, {"cer", kNoEnd},   {"per", kNoEnd},       {"cder", kNoEnd}};  // all others: 1

/// Every choice of every option by itself, and numbers that do not round well.
std::vector<std::string> all_requests() {
  std::vector<std::string> requests;
  for (const MetricInfo& info : registry()) {
    if (info.kind != Kind::lexical || info.name == "rougeWE") continue;  // it counts matches, as rouge1 does
    requests.push_back(info.name);
    for (const OptionSpec& option : info.options) {
      for (std::size_t i = 1; i < option.choices.size(); ++i)
        requests.push_back(info.name + ":" + option.name + "=" + option.choices[i]);
    }
  }
  for (const char* more :
       {"bleu:max_order=1", "bleu:max_order=3", "bleu:max_order=7", "bleu:smooth=floor,smooth_value=0.101",
        "bleu:smooth=floor,smooth_value=0.104", "bleu:smooth=floor,smooth_value=0.1",
        "bleu:smooth=add-k,smooth_value=0.25", "sentbleu:max_order=6", "chrf:beta=3",
        "chrf:beta=7,word_order=3", "meteor:gamma=0", "meteor:gamma=0,alpha=0.05",
        "meteor:gamma=0,alpha=1e-17", "meteor:gamma=0,alpha=0.7", "cider:n=3", "cider:n=7,sigma=0.3",
        "rougeW:weight=1.7,recall=paper"})
    requests.emplace_back(more);
  return requests;
}

/// Segments of 8 to 40 words, some of them many times in a text.
std::vector<std::string> random_texts(std::uint64_t seed) {
  RandomStream random(seed, 0);
  std::vector<std::string> texts(20);
  for (std::string& text : texts) {
    const std::uint64_t words = 8 + random.below(33);
    for (std::uint64_t i = 0; i < words; ++i) {
      text.append(i == 0 ? "" : " ").append("word");
      text += static_cast<char>('a' + random.below(1 + random.below(26)));
    }
  }
  return texts;
}

/// The results of every request for the texts as their own references, and as those of others.
template <typename Check>
void for_every_result(Check check) {
  ThreadPool pool(1);
  const std::vector<std::string> texts = random_texts(1), others = random_texts(2);
  lexical::ScoredTexts corpus;
  for (const std::string& text : texts) corpus.references.push_back({text});
  corpus.systems = {{texts.begin(), texts.end()}, {others.begin(), others.end()}};
  for (const std::string& text : all_requests()) {
    SCOPED_TRACE(text);
    const Metric request = Metric(text);
    const std::shared_ptr<const LexicalMetric> metric =
        std::get<LexicalMetricFactory>(request.info->factory)(request.options);
    const auto results = score_texts(metric, request.info->results, corpus, {true, 10, 7, false}, {pool});
    check(request, results);
  }
}

TEST(LexicalRange, NoScoreLeavesItsRange) {
  for_every_result([](const Metric& request, const std::vector<Result>& results) {
    const auto known = kLargest.find(request.info->name);
    const double largest = known == kLargest.end() ? 1 : known->second;
    const auto expect_inside = [&](double value) {
      EXPECT_GE(value, 0);
      EXPECT_LE(value, largest);
    };
    for (const Result& result : results) {
      for (const auto& [name, value] : result.scores) expect_inside(value);
      for (const auto& [name, values] : result.segments) {
        for (const double value : values) expect_inside(value);
      }
      for (const auto& [name, interval] : result.intervals) {
        expect_inside(interval.low);
        expect_inside(interval.high);
      }
    }
  });
}

TEST(LexicalRange, ACopyHasTheBestScoreExactly) {
  const std::map<std::string, double> best{
      {"bleu", 100},   {"sentbleu", 100}, {"chrf", 100}, {"chrf++", 100}, {"ter", 0},    {"character", 0},
      {"cider", 10},   {"tfidf", 1},      {"rouge1", 1}, {"rouge2", 1},   {"rougeL", 1}, {"rougeLsum", 1},
      {"rougeSU4", 1}, {"wer", 0},        {"cer", 0},    {"per", 0},      {"cder", 0}};
  for_every_result([&](const Metric& request, const std::vector<Result>& results) {
    const auto expected = best.find(request.info->name);
    if (expected == best.end()) return;
    for (const auto& [name, value] : results[0].scores) EXPECT_EQ(value, expected->second);
    for (const auto& [name, values] : results[0].segments) {
      for (const double value : values) EXPECT_EQ(value, expected->second);
    }
  });
}

TEST(LexicalSignature, IsAnotherWhereScoresAre) {
  std::map<std::string, std::pair<std::string, Named<double>>> known;  // by signature: a request, its scores
  for_every_result([&](const Metric& request, const std::vector<Result>& results) {
    const Result& others = results[1];
    const std::string signature = request.info->name + others.signature();
    const auto [same, is_new] = known.try_emplace(signature, std::pair(request.text, others.scores));
    if (!is_new) {
      EXPECT_EQ(others.scores, same->second.second) << "also of " << same->second.first;
    }
  });
  EXPECT_GT(known.size(), registry().size() / 2);
}

}  // namespace
}  // namespace markeval::metric
