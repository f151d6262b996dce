#include "api/presets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "trained/match_head.hpp"

namespace markeval {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

TEST(Presets, HaveMatchForEveryModelWithAHeadInsideTheProgram) {
  ASSERT_FALSE(trained::shipped_encoders().empty());
  for (const trained::EncoderIdentity& encoder : trained::shipped_encoders()) {
    EXPECT_THAT(preset_metrics("mt", encoder.name), Contains("match"));
    EXPECT_THAT(preset_metrics("mt", "some/folder/" + encoder.name + "/"), Contains("match"));
    EXPECT_THAT(preset_metrics("mt", "my-" + encoder.name), Not(Contains("match")));
  }
  EXPECT_THAT(preset_metrics("summary", ""), Contains("match")) << "the default model";
}

TEST(Presets, HaveBertscoreOnceForOtherModels) {
  EXPECT_THAT(preset_metrics("mt", "roberta-large"), ElementsAre("bleu", "chrf", "bertscore"));
  EXPECT_THAT(preset_metrics("summary", "roberta-large"),
              ElementsAre("rouge1", "rouge2", "moverscore", "bertscore"));
}

TEST(Presets, OfSetsHaveAMetricThatNoticesTheOrderOfWords) {
  EXPECT_THAT(preset_metrics("lm", ""), Contains("fid:samples=word"));
}

TEST(Presets, RefuseANameThatNoneHas) {
  EXPECT_THROW(preset_metrics("mtt", ""), Error);
}

}  // namespace
}  // namespace markeval
