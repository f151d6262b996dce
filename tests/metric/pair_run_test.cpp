#include "metric/pair_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "metric/toy_source.hpp"
#include "metric/warnings.hpp"
#include "support/temp_folder.hpp"

namespace markeval::metric {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// References by segment, systems by name.
struct PairTexts {
  struct System {
    std::string name;
    std::vector<std::string> lines;
  };
  std::vector<std::vector<std::string>> references;
  std::vector<System> systems;
};

struct PairFiles {
  explicit PairFiles(const PairTexts& texts) {
    for (const std::vector<std::string>& segment : texts.references) {
      references.texts.insert(references.texts.end(), segment.begin(), segment.end());
      references.starts.push_back(references.texts.size());
    }
    for (const PairTexts::System& system : texts.systems) {
      names.push_back(system.name);
      text::Corpus& file = systems.emplace_back();
      for (const std::string& line : system.lines) file.add(line);
    }
  }
  embed::RunTexts view() const { return {{&references, 1}, systems}; }

  text::Corpus references;
  std::vector<text::Corpus> systems;
  std::vector<std::string> names;
};

struct PairRunResult {
  std::vector<Result> results;
  std::vector<std::string> warnings;
  std::map<std::string, int> encoded;
  embed::RunCounts counts;
  std::vector<PairExplanation> explanations;

  const Result& of(const std::string& metric, std::size_t system = 0) const {
    std::size_t seen = 0;
    for (const Result& result : results) {
      if (result.requested == metric && seen++ == system) return result;
    }
    throw std::runtime_error("no " + metric);
  }
  double score(const std::string& metric, std::size_t column = 0) const {
    return of(metric).scores[column].second;
  }
  std::uint64_t detail(const std::string& metric, const std::string& name) const {
    for (const auto& [key, value] : of(metric).details) {
      if (key == name) return std::get<std::uint64_t>(value);
    }
    throw std::runtime_error("no " + name);
  }
};

PairRunResult run(const PairTexts& texts, const std::vector<std::string>& metrics, std::size_t threads = 2,
                  std::size_t block_tokens = 0, bool explain = false) {
  std::vector<Metric> requests;
  for (const std::string& metric : metrics) requests.push_back(Metric(metric));
  ThreadPool pool(threads);
  const auto device = compute::make_cpu_device(pool);
  Warnings warnings;
  const RunContext context{pool, nullptr, &warnings, nullptr};
  ToySource source;
  PairRunResult run;
  PairSettings settings;
  settings.segments = true;
  if (explain) settings.explain = [&](const PairExplanation& e) { run.explanations.push_back(e); };
  const PairFiles files(texts);
  const embed::RunTexts view = files.view();
  PairRun pairs(requests, make_pair_metrics(requests), {view, files.names, source, *device, context},
                settings);
  embed::TextUser* const user = &pairs;
  run.counts = embed::run_texts(source, view, {&user, 1}, context, block_tokens);
  run.results = pairs.results();
  for (Result& result : run.results) {
    const auto index = static_cast<std::size_t>(&result - run.results.data());
    result.requested = metrics[index % metrics.size()];
    result.metric = requests[index % metrics.size()].info->name;
  }
  run.warnings = warnings.all;
  run.encoded = source.encoded();
  return run;
}

const std::vector<std::string> kAll = {"bertscore", "bertr", "moverscore", "hmd"};

PairTexts corpus_of(std::vector<std::vector<std::string>> references, std::vector<std::string> lines) {
  return {std::move(references), {{"sys", std::move(lines)}}};
}

const PairTexts kStory = corpus_of({{"the old man walks his dog in the park ."},
                                    {"rain fell on the quiet town all night ,"},
                                    {"she reads a book about stars"}},
                                   {"an old man walks a dog through the park .",
                                    "it rained all night on the town", "she reads a book about stars"});

TEST(PairRun, GivesOneToEqualTexts) {
  const PairRunResult found =
      run(corpus_of({{"a small red house"}, {"birds sing"}}, {"a small red house", "birds sing"}),
          {"bertscore", "bertr", "moverscore", "moverscore:n=2", "moverscore:n=sentence",
           "moverscore:aggregate=routing", "moverscore:distance=cosine", "hmd", "hmd:n=2"});
  for (const Result& result : found.results) {
    for (const auto& [name, value] : result.scores) EXPECT_EQ(value, 1) << result.requested << name;
  }
}

TEST(PairRun, ScoresASegmentTheSameAloneAmongOthersAndWithAnyThreadsAndBlocks) {
  const std::vector<std::string> metrics = {"bertscore", "bertr", "moverscore:idf=no", "hmd:idf=no,n=2",
                                            "moverscore:aggregate=routing,idf=no"};
  const PairRunResult together = run(kStory, metrics, 1);
  const PairRunResult parallel = run(kStory, metrics, 4, 8);
  for (std::size_t segment = 0; segment < 3; ++segment) {
    const PairRunResult alone =
        run(corpus_of({kStory.references[segment]}, {kStory.systems[0].lines[segment]}), metrics);
    for (std::size_t index = 0; index < metrics.size(); ++index) {
      for (std::size_t column = 0; column < together.results[index].segments.size(); ++column) {
        const double value = together.results[index].segments[column].second[segment];
        EXPECT_EQ(alone.results[index].segments[column].second[0], value) << metrics[index];
        EXPECT_EQ(parallel.results[index].segments[column].second[segment], value) << metrics[index];
      }
    }
  }
}

TEST(PairRun, RanksABetterTextHigher) {
  PairTexts corpus = corpus_of({{"the old man walks his dog"}, {"rain fell on the town"}},
                               {"an old man walks a dog", "rain came down on the town"});
  corpus.systems.push_back({"poor", {"stars shine above", "my soup has gone cold"}});
  const PairRunResult found = run(corpus, kAll);
  for (const std::string& metric : kAll) {
    EXPECT_GT(found.of(metric, 0).scores.back().second, found.of(metric, 1).scores.back().second) << metric;
  }
}

TEST(PairRun, EncodesEveryTextOnceForAllMetricsSystemsAndReferences) {
  PairTexts corpus = corpus_of({{"one two", "one three"}, {"one two", "four"}}, {"one two", "five"});
  corpus.systems.push_back({"other", {"five", "one two"}});
  const PairRunResult found = run(corpus, {"bertscore", "moverscore:compat=v1", "hmd", "bertscore:layer=1"});
  EXPECT_EQ(found.encoded.size(), 4u);
  for (const auto& [text, times] : found.encoded) EXPECT_EQ(times, 1) << text;
}

TEST(PairRun, EncodesATextOnceThoughItsSegmentsAreFarApart) {
  std::vector<std::vector<std::string>> references;
  std::vector<std::string> lines;
  for (int i = 0; i < 60; ++i) {
    references.push_back({i % 20 == 7 ? "shared by three" : "reference number " + std::to_string(i)});
    lines.push_back(i % 30 == 2 ? "said twice" : "line " + std::to_string(i));
  }
  const PairTexts corpus = corpus_of(references, lines);
  const PairRunResult streamed = run(corpus, {"bertscore", "moverscore"}, 2, 64);
  for (const auto& [text, times] : streamed.encoded) EXPECT_EQ(times, 1) << text;
  const PairRunResult whole = run(corpus, {"bertscore", "moverscore"}, 2, 0, true);
  for (const char* metric : {"bertscore", "moverscore"})
    EXPECT_EQ(streamed.of(metric).segments, whole.of(metric).segments) << metric;
  for (std::size_t i = 1; i < whole.explanations.size(); ++i)
    EXPECT_LE(whole.explanations[i - 1].segment, whole.explanations[i].segment);
}

TEST(PairRun, TakesTheBestOrTheMeanOfSeveralReferences) {
  const std::string candidate = "an old man walks";
  const std::vector<std::string> references = {"the old man walks", "a young woman runs", candidate};
  const std::vector<std::string> metrics = {"bertscore", "bertscore:multi=mean", "moverscore:idf=no",
                                            "moverscore:idf=no,multi=max"};
  const PairRunResult all = run(corpus_of({references}, {candidate}), metrics);
  std::vector<double> sums(4);
  for (const std::string& reference : references) {
    const PairRunResult one = run(corpus_of({{reference}}, {candidate}), metrics);
    for (std::size_t index = 0; index < 4; ++index) sums[index] += one.results[index].scores[0].second;
  }
  EXPECT_NEAR(all.score(metrics[0]), 1, 1e-6) << "equal to one of the references";
  EXPECT_NEAR(all.score(metrics[1]), sums[1] / 3, 1e-12);
  EXPECT_NEAR(all.score(metrics[2]), sums[2] / 3, 1e-12);
  EXPECT_NEAR(all.score(metrics[3]), 1, 1e-6);
}

TEST(PairRun, TakesANumberOfReferencesThatVaries) {
  const PairRunResult found =
      run(corpus_of({{"one two", "two one", "three"}, {"four"}}, {"one two", "four"}), {"bertscore"});
  EXPECT_NEAR(found.score("bertscore", 2), 1, 1e-6);
}

TEST(PairRun, ScoresEmptyTextsZeroAndCountsThem) {
  const PairRunResult found =
      run(corpus_of({{"one two"}, {""}, {""}, {"", "one"}}, {"", "one two", "", "one"}), kAll);
  for (const std::string& metric : kAll) {
    const Result& result = found.of(metric);
    for (const auto& [name, values] : result.segments) {
      EXPECT_THAT(values, ElementsAre(0, 0, 0, ::testing::DoubleNear(1, 1e-6))) << metric << name;
    }
    EXPECT_EQ(found.detail(metric, "empty_candidates"), 2u);
    EXPECT_EQ(found.detail(metric, "empty_references"), 2u);
  }
}

TEST(PairRun, KeepsEverythingWhereOnlyPunctuationAndStopWordsAre) {
  const TempFolder folder;
  const std::string metric = std::string("moverscore:idf=no,stopwords=") + folder.write("stop.txt", "the of");
  const PairRunResult found =
      run(corpus_of({{"! , the"}, {"one ! two"}}, {"! , the", "one two ,"}), {metric});
  EXPECT_NEAR(found.of(metric).segments[0].second[0], 1, 1e-6);
  EXPECT_GT(found.of(metric).segments[0].second[1], 0.9) << "punctuation is left out";
  EXPECT_EQ(found.detail(metric, "segments_without_words"), 1u);
}

TEST(PairRun, WeighsAlikeAndWarnsWhereIdfHasOneText) {
  const PairTexts corpus = corpus_of({{"the old man walks"}}, {"a young man runs"});
  const PairRunResult found = run(
      corpus, {"bertscore:layer=last,idf=yes", "bertscore:layer=last", "moverscore", "moverscore:idf=no"});
  for (std::size_t column = 0; column < 3; ++column) {
    EXPECT_EQ(found.score("bertscore:layer=last,idf=yes", column),
              found.score("bertscore:layer=last", column));
  }
  EXPECT_EQ(found.score("moverscore"), found.score("moverscore:idf=no"));
  ASSERT_EQ(found.warnings.size(), 1u);
  EXPECT_THAT(found.warnings[0], HasSubstr("idf over a single reference gives every token the weight 0"));
  const PairTexts repeated = corpus_of({{"old man"}, {"man old"}}, {"a young man runs", "old man"});
  EXPECT_THAT(run(repeated, {"bertscore:layer=last,idf=yes"}).warnings,
              ElementsAre(HasSubstr("idf over references of the same tokens")));
}

TEST(PairRun, NeverScoresATextWithoutWeightInSilence) {
  const PairTexts corpus = corpus_of({{"the old man walks"}}, {"a young man runs"});
  const PairRunResult v1 = run(corpus, {"moverscore:compat=v1"});
  EXPECT_EQ(v1.score("moverscore:compat=v1"), 1) << "as in that program";
  EXPECT_EQ(v1.detail("moverscore:compat=v1", "segments_without_weight"), 1u);
  EXPECT_THAT(v1.warnings,
              Contains(HasSubstr("1 of 1 segments have a text none of whose tokens has idf weight: as in "
                                 "that program, the score is 1")));
  // "rain" is in every reference, so the first one has no weight of its own.
  const PairRunResult some =
      run(corpus_of({{"rain"}, {"rain snow"}}, {"snow", "rain"}), {"bertscore:layer=last,idf=yes"});
  EXPECT_EQ(some.detail("bertscore:layer=last,idf=yes", "segments_without_weight"), 2u);
  EXPECT_THAT(some.warnings,
              ElementsAre(HasSubstr("2 of 2 segments have a text none of whose tokens has idf weight: "
                                    "its tokens weigh alike")));
}

TEST(PairRun, CountsUnknownTokensAndCutTexts) {
  std::string line;
  for (int word = 0; word < 10000; ++word) line += std::string("w") + std::to_string(word % 90) + " ";
  const PairRunResult found = run(corpus_of({{line}, {"? one"}}, {line, "? two"}), kAll);
  for (const std::string& metric : kAll) {
    EXPECT_NEAR(found.of(metric).segments[0].second[0], 1, 1e-5) << metric;
  }
  EXPECT_EQ(found.counts.references[0].tokens.cut_texts, 1u);
  EXPECT_EQ(found.counts.systems[0].tokens.cut_texts, 1u);
  EXPECT_EQ(found.counts.references[0].tokens.unknown, 1u);
  EXPECT_EQ(found.counts.systems[0].tokens.unknown, 1u);
}

TEST(PairRun, RescalesWithABaseline) {
  const TempFolder folder;
  const std::string metric =
      std::string("bertscore:layer=2,rescale=") + folder.write("b.csv", "LAYER,P,R,F\n2,0.5,0.25,0.4\n");
  const PairRunResult found = run(kStory, {"bertscore:layer=2", metric});
  EXPECT_NEAR(found.score(metric, 0), (found.score("bertscore:layer=2", 0) - 0.5) / 0.5, 1e-12);
  EXPECT_NEAR(found.score(metric, 2), (found.score("bertscore:layer=2", 2) - 0.4) / 0.6, 1e-12);
  EXPECT_ERROR(run(kStory, {std::string("bertscore:layer=1,rescale=") + folder.file("b.csv")}),
               ErrorCode::invalid_input, "no baseline for layer 1");
}

TEST(PairRun, MasksSpecialTokensOnRequest) {
  const PairRunResult found = run(kStory, {"bertscore", "bertscore:specials=mask", "bertr"});
  EXPECT_LE(found.score("bertscore:specials=mask"), found.score("bertscore"));
  EXPECT_NE(found.of("bertscore").signature(), found.of("bertscore:specials=mask").signature());
}

TEST(PairRun, SaysInTheSignatureWhatWasComputed) {
  const PairRunResult found =
      run(kStory, {"bertscore:idf=yes", "moverscore", "moverscore:compat=v2", "bertr"});
  EXPECT_EQ(found.results[0].signature().substr(0, 70),
            std::string(
                "bertscore|layer:3|idf:references|specials:keep|negative:zero|rescale:no|multi:max|model:toy")
                .substr(0, 70));
  EXPECT_THAT(
      found.results[1].signature(),
      HasSubstr("moverscore|n:1|layers:1+2+3|aggregate:pmeans|exponents:-inf+1+inf|subwords:drop|"
                "specials:keep|idf:references|distance:squared|stopwords:none|compat:none|multi:mean"));
  EXPECT_THAT(found.results[2].signature(), HasSubstr("layers:3|aggregate:last|subwords:drop|specials:keep|"
                                                      "idf:separate|distance:euclidean"));
  EXPECT_THAT(found.results[3].signature(), HasSubstr("bertr|layer:3|multi:max"));
}

TEST(PairRun, ExplainsWhichTokenMetWhich) {
  const PairRunResult found =
      run(corpus_of({{"the old man"}}, {"an old hat"}), {"bertscore", "moverscore:idf=no"}, 1, 0, true);
  ASSERT_EQ(found.explanations.size(), 2u);
  EXPECT_FALSE(found.explanations[0].moves_weight);
  EXPECT_TRUE(found.explanations[1].moves_weight);
  const PairExplanation& greedy = found.explanations[0];
  EXPECT_EQ(greedy.metric, "bertscore");
  EXPECT_EQ(greedy.segment, 1u);
  ASSERT_EQ(greedy.links.size(), 6u) << "three words look for a partner on each side";
  const auto& from = greedy.candidate_rows[greedy.links[1].candidate];
  const auto& to = greedy.reference_rows[greedy.links[1].reference];
  EXPECT_EQ(greedy.candidate_text.substr(from.begin, from.end - from.begin), "old");
  EXPECT_EQ(greedy.reference_text.substr(to.begin, to.end - to.begin), "old");
  EXPECT_GT(greedy.links[1].similarity, 0.9);
  double moved = 0;
  for (const PairLink& link : found.explanations[1].links) moved += link.share;
  EXPECT_NEAR(moved, 1, 1e-12);
  EXPECT_NEAR(found.explanations[1].scores[0].second, found.score("moverscore:idf=no"), 1e-15);
}

TEST(PairRun, RefusesWhatDoesNotFitTogether) {
  EXPECT_ERROR(run(kStory, {"bertscore:layer=4"}), ErrorCode::usage,
               "bertscore: layer='4', expected one layer of 0 to 3");
  EXPECT_ERROR(run(kStory, {"moverscore:n=0"}), ErrorCode::usage,
               "moverscore: n='0', expected 1, 2, ... or sentence");
  EXPECT_ERROR(run(kStory, {"moverscore:step=0"}), ErrorCode::usage,
               "step='0', expected a number above 0, at most 1000000");
  EXPECT_ERROR(run(kStory, {"moverscore:compat=v1,distance=euclidean"}), ErrorCode::usage,
               "compat=v1 has distance=squared, not euclidean");
  EXPECT_ERROR(run(kStory, {"hmd:compat=v1"}), ErrorCode::usage, "hmd has no public program to repeat");
}

}  // namespace
}  // namespace markeval::metric
