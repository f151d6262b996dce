// Whatever comes in, every lexical metric of the registry, with every value of every option, gives finite
// numbers or an Error: damaged UTF-8, odd characters, nothing at all, a megabyte in one line. Meant for the
// address sanitizer. MARKEVAL_FUZZ_ROUNDS: how many corpora (150).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "metric/registry.hpp"
#include "support/temp_folder.hpp"
#include "text/utf8.hpp"

namespace markeval::metric {
namespace {

/// "bleu", "bleu:tokenize=intl", ...: every choice of every option by itself.
std::vector<std::string> all_requests(const std::string& vectors) {
  std::vector<std::string> requests;
  for (const MetricInfo& info : registry()) {
    if (info.kind != Kind::lexical) continue;
    const std::string start = info.name == "rougeWE" ? "rougeWE:embeddings=" + vectors : info.name;
    requests.push_back(start);
    for (const OptionSpec& option : info.options) {
      for (std::size_t i = 1; i < option.choices.size(); ++i)
        requests.push_back(start + (start == info.name ? ":" : ",") + option.name + "=" + option.choices[i]);
    }
  }
  for (const char* more :
       {"bleu:tokenize=zh,smooth=floor,max_order=1,lowercase=yes",
        "bleu:tokenize=char,smooth=none,max_order=32", "chrf:char_order=0,word_order=3",
        "chrf++:char_order=40,beta=0,whitespace=yes", "ter:normalized=yes,no_punct=yes,asian_support=yes",
        "meteor:alpha=0,beta=0,gamma=1", "nist:n=32", "cider:n=9,sigma=0.001", "rougeW:weight=9",
        "tfidf:tokenize=char,lowercase=no,n=2"})
    requests.emplace_back(more);
  requests.push_back("rougeWE:n=3,threshold=0,embeddings=" + vectors);
  return requests;
}

class LexicalFuzz : public ::testing::Test {
 protected:
  LexicalFuzz() {
    const std::string vectors =
        folder_.write("words.txt", "cat 1 0 0\ndog 0.9 0.1 0\nmat 0 1 0\n\xc3\xa9 0 0 1\n");
    for (const std::string& text : all_requests(vectors)) {
      requests_.push_back(Metric(text));
      metrics_.push_back(
          std::get<LexicalMetricFactory>(requests_.back().info->factory)(requests_.back().options));
    }
  }

  /// Scores, segment scores and intervals of one metric; counts the numbers seen.
  void score(std::size_t m, const lexical::ScoredTexts& corpus, std::size_t resamples) {
    const auto results =
        score_texts(metrics_[m], requests_[m].info->results, corpus, {true, resamples, 7, true}, context_);
    for (const Result& result : results) {
      for (const auto& [name, value] : result.scores) expect_finite(value, requests_[m].text);
      for (const auto& [name, values] : result.segments) {
        for (const double value : values) expect_finite(value, requests_[m].text);
      }
      for (const auto& [name, interval] : result.intervals) {
        expect_finite(interval.low, requests_[m].text);
        expect_finite(interval.high, requests_[m].text);
      }
    }
  }
  void expect_finite(double value, const std::string& text) {
    ++numbers_;
    if (!std::isfinite(value) || value < 0) ADD_FAILURE() << text << ": " << value;
  }

  TempFolder folder_;
  ThreadPool pool_{1};
  RunContext context_{pool_};
  std::vector<Metric> requests_;
  std::vector<std::shared_ptr<const LexicalMetric>> metrics_;
  std::size_t numbers_ = 0;
};

class TextMaker {
 public:
  explicit TextMaker(std::uint64_t index) : random_(20261115, index) {}

  std::string make() {
    switch (random_.below(8)) {
      case 0:
        return std::string(random_.below(4), ' ');
      case 1:
        return bytes(random_.below(60));
      case 2:
        return exotic(random_.below(40));
      case 3:
        return repeated();
      case 4:
        return std::string(random_.below(300), static_cast<char>('a' + random_.below(3)));
      default:
        return mutated();
    }
  }
  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }

 private:
  std::string bytes(std::size_t count) {
    std::string text;
    for (; count > 0; --count) text += static_cast<char>(random_.below(256));
    return text;
  }
  /// Any code point, surrogates as the three bytes they would have.
  std::string exotic(std::size_t count) {
    std::string text;
    for (; count > 0; --count) {
      const std::uint64_t limit = random_.below(2) == 0 ? 0x3100 : 0x110000;
      text::append(text, static_cast<char32_t>(random_.below(limit)));
      if (random_.below(5) == 0) text += ' ';
    }
    return text;
  }
  std::string repeated() {
    const std::string_view words[] = {"cat ", "a b ", ". ", "- ", "\xe4\xbd\xa0", "5.", "'s "};
    const std::string_view word = words[random_.below(7)];
    std::string text;
    for (std::uint64_t n = random_.below(80); n > 0; --n) text += word;
    return text;
  }
  std::string mutated() {
    const std::string_view seeds[] = {
        "The cat's 3.5% (sat) on <skipped> &quot;mats&quot; - it's 10-20, isn't it?",
        "\xe4\xbd\xa0\xe5\xa5\xbd\xef\xbc\x8c\xe4\xb8\x96\xe7\x95\x8c\xe3\x80\x82 "
        "\xce\x9f\xce\x94\xce\xa5\xce\xa3\xce\xa3 \xc4\xb0stanbul",
        "a dog and a cat and a mat and a dog", "\xf0\x9f\x98\x80 \xe2\x84\xaa ..,,-- e\xcc\x81 \xef\xbb\xbf"};
    std::string text(seeds[random_.below(4)]);
    text += seeds[random_.below(4)];
    for (std::uint64_t n = random_.below(12); n > 0 && !text.empty(); --n) {
      const std::size_t at = random_.below(text.size());
      switch (random_.below(4)) {
        case 0:
          text[at] = static_cast<char>(random_.below(256));
          break;
        case 1:
          text.erase(at, random_.below(9));
          break;
        case 2:
          text.insert(at, text.substr(random_.below(text.size()), random_.below(20)));
          break;
        default:
          text.insert(at, 1, static_cast<char>(random_.below(256)));
      }
    }
    return text;
  }

  RandomStream random_;
};

TEST_F(LexicalFuzz, EveryMetricAndOptionTakesAnyBytes) {
  const char* asked = std::getenv("MARKEVAL_FUZZ_ROUNDS");
  const std::uint64_t rounds = asked == nullptr ? 150 : std::strtoull(asked, nullptr, 10);
  std::size_t texts = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    TextMaker maker(round);
    std::vector<std::string> owned;
    owned.reserve(64);
    const auto next = [&]() -> std::string_view { return owned.emplace_back(maker.make()); };
    lexical::ScoredTexts corpus;
    for (std::uint64_t segments = 1 + maker.below(5); segments > 0; --segments) {
      auto& references = corpus.references.emplace_back();
      for (std::uint64_t r = 1 + maker.below(3); r > 0; --r) references.push_back(next());
    }
    for (int system = 0; system < 2; ++system) {
      auto& lines = corpus.systems.emplace_back();
      for (const auto& references : corpus.references)
        lines.push_back(maker.below(4) == 0 ? references.front() : next());
    }
    texts += owned.size();
    for (std::size_t m = 0; m < metrics_.size(); ++m) score(m, corpus, 3);
    if (HasFailure()) FAIL() << "round " << round;
  }
  RecordProperty("texts", static_cast<int>(texts));
  std::printf("%zu texts in %zu corpora, %zu metrics with options, %zu numbers\n", texts, std::size_t{rounds},
              metrics_.size(), numbers_);
}

TEST_F(LexicalFuzz, EveryMetricTakesEmptyLinesAndReferences) {
  const std::string_view texts[] = {"",  " ",    "\t",           "a",
                                    ".", "\xff", "\xef\xbb\xbf", std::string_view("\0", 1)};
  for (const std::string_view reference : texts) {
    for (const std::string_view line : texts) {
      const lexical::ScoredTexts corpus{{{reference}, {reference, line}}, {{line, line}, {"", reference}}};
      for (std::size_t m = 0; m < metrics_.size(); ++m) score(m, corpus, 2);
    }
  }
}

/// Words, one word, and one character again and again. A metric that would need a table of all pairs refuses
/// with the sizes it found.
TEST_F(LexicalFuzz, EveryMetricTakesOrRefusesALineOfAMegabyte) {
  constexpr std::size_t kBytes = 1'000'000;
  RandomStream random(3, 0);
  std::string words, other;
  while (words.size() < kBytes)
    words.append("word").append(std::to_string(random.below(5000))).append(random.below(9) == 0 ? ". " : " ");
  other = words;
  for (int i = 0; i < 2000; ++i) other[random.below(other.size())] = 'x';
  const std::string one_word(kBytes, 'x');
  for (std::size_t m = 0; m < metrics_.size(); ++m) {
    if (requests_[m].text.find(':') != std::string::npos && requests_[m].info->name != "rougeWE") continue;
    using Pair = std::pair<std::string_view, std::string_view>;
    for (const auto& [reference, line] : {Pair(words, other), Pair(one_word, one_word)}) {
      try {
        score(m, lexical::ScoredTexts{{{reference}}, {{line}}}, 0);
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("too long to compare"), std::string::npos) << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace markeval::metric
