// multi= of lexical metrics: the mean over references is the mean of scores against each by itself.
#include <gtest/gtest.h>

#include "lexical_score.hpp"

namespace markeval::metric {
namespace {

const Segments kSeveral{{"the cat sat on the mat", "a cat was sitting there"}, {"no rain today"}};
const std::vector<std::string_view> kTexts{"the cat was sitting on a mat", "no rain is today"};

TEST(SeveralReferences, TheirMeanIsThatOfSingleOnes) {
  for (const std::string metric : {"chrf", "chrf++", "sentbleu", "meteor"}) {
    const double first = rate_of(metric, {{kSeveral[0][0]}}, {kTexts[0]});
    const double second = rate_of(metric, {{kSeveral[0][1]}}, {kTexts[0]});
    const double other = rate_of(metric, {{kSeveral[1][0]}}, {kTexts[1]});
    const Result found = rated(metric + ":multi=mean", kSeveral, kTexts);
    EXPECT_NEAR(found.segments[0].second[0], (first + second) / 2, 1e-9) << metric;
    EXPECT_NEAR(found.segments[0].second[1], other, 1e-9) << metric;
    EXPECT_NEAR(found.scores[0].second, ((first + second) / 2 + other) / 2, 1e-9) << metric;
    EXPECT_NE(found.signature().find("|multi:mean"), std::string::npos);
  }
}

TEST(SeveralReferences, OfCiderTheBestCanCountInsteadOfTheMean) {
  const Result mean = rated("cider", kSeveral, kTexts), best = rated("cider:multi=max", kSeveral, kTexts);
  EXPECT_GT(best.segments[0].second[0], mean.segments[0].second[0]);
  EXPECT_EQ(best.segments[0].second[1], mean.segments[0].second[1]) << "one reference";
  EXPECT_NE(best.signature().find("|multi:max"), std::string::npos);
}

TEST(SeveralReferences, ChrfCanBeTheMeanOfSegments) {
  const Result corpus = rated("chrf", kSeveral, kTexts);
  const Result mean = rated("chrf:average=segments", kSeveral, kTexts);
  EXPECT_EQ(mean.segments, corpus.segments);
  EXPECT_DOUBLE_EQ(mean.scores[0].second, (corpus.segments[0].second[0] + corpus.segments[0].second[1]) / 2);
  EXPECT_NE(mean.scores[0].second, corpus.scores[0].second);
}

}  // namespace
}  // namespace markeval::metric
