#include "metric/foreign_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metric/metric.hpp"
#include "support/temp_folder.hpp"

namespace markeval::metric {
namespace {

TEST(ForeignWords, NamesThatSacrebleuPrintsAreTaken) {
  EXPECT_EQ(Metric{"chrF2++"}.info->name, "chrf++");
  EXPECT_EQ(Metric{"chrF2"}.info->name, "chrf");
  EXPECT_EQ(Metric{"BLEU-4"}.info->name, "bleu");
}

TEST(ForeignWords, MetricsOfEvaluateAreAnswered) {
  EXPECT_ERROR(Metric{"sacrebleu"}, ErrorCode::usage,
               "metric 'sacrebleu' is offered as bleu, chrf, chrf++ and ter");
  EXPECT_ERROR(Metric{"google_bleu"}, ErrorCode::usage, "the nearest here is sentbleu");
  EXPECT_ERROR(Metric{"exact_match"}, ErrorCode::usage, "wer and cer of a segment are 0");
  EXPECT_ERROR(Metric{"pearsonr"}, ErrorCode::usage, "is no metric but a coefficient");
}

TEST(ForeignWords, OptionsOfOtherToolsAreNamedAsTheMetricHasThem) {
  EXPECT_ERROR(Metric{"bleu:tok=zh"}, ErrorCode::usage,
               "bleu: unknown option 'tok'; that is 'tokenize' here");
  EXPECT_ERROR(Metric{"rouge1:use_stemmer=True"}, ErrorCode::usage, "that is 'stem' here");
  EXPECT_ERROR(Metric{"bertscore:num_layers=5"}, ErrorCode::usage, "that is 'layer' here");
  EXPECT_ERROR(Metric{"moverscore:n_gram=2"}, ErrorCode::usage, "that is 'n' here");
  EXPECT_ERROR(Metric{"prd:num_buckets=5"}, ErrorCode::usage, "that is 'clusters' here");
  EXPECT_ERROR(Metric{"prdc:nearest_k=5"}, ErrorCode::usage, "that is 'k' here");
  EXPECT_ERROR(Metric{"bertscore:model_type=x"}, ErrorCode::usage, "--model NAME");
}

TEST(ForeignWords, AWordThatTheMetricHasNotIsAnsweredAsAnyOther) {
  EXPECT_ERROR(Metric{"fid:use_stemmer=yes"}, ErrorCode::usage, "fid: unknown option 'use_stemmer'; known:");
  EXPECT_ERROR(Metric{"em"}, ErrorCode::usage, "unknown metric 'em'; did you mean 'me'?");
  EXPECT_EQ(answer_to_option("xyzzy", {}), "");
  EXPECT_EQ(answer_to_metric("xyzzy"), "");
}

}  // namespace
}  // namespace markeval::metric
