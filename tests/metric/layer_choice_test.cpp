#include "metric/layer_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/temp_folder.hpp"

namespace markeval::metric {
namespace {

using testing::ElementsAre;

TEST(LayerChoice, UnderstandsNumbersRangesListsAndTheLast) {
  EXPECT_THAT(choose_layers("last", 6), ElementsAre(6));
  EXPECT_THAT(choose_layers("last5", 6), ElementsAre(2, 3, 4, 5, 6));
  EXPECT_THAT(choose_layers("last5", 3), ElementsAre(1, 2, 3)) << "blocks only, not the embedding layer";
  EXPECT_THAT(choose_layers("0", 6), ElementsAre(0));
  EXPECT_THAT(choose_layers("-1", 6), ElementsAre(6));
  EXPECT_THAT(choose_layers("-7", 6), ElementsAre(0));
  EXPECT_THAT(choose_layers("2-4", 6), ElementsAre(2, 3, 4));
  EXPECT_THAT(choose_layers("6+1+3+1", 6), ElementsAre(1, 3, 6));
  EXPECT_THAT(choose_layers("0+4-5", 6), ElementsAre(0, 4, 5));
}

TEST(LayerChoice, NamesThePartThatIsNoLayer) {
  const auto expect = [](std::string_view text, const char* part) {
    EXPECT_ERROR(choose_layers(text, 6), ErrorCode::usage, part);
  };
  expect("7", "layers '7': '7' names no layer of 0 to 6; expected a number, last, last5, 2-6 or 1+3+6");
  expect("1+x", "layers '1+x': 'x' names no layer");
  expect("-8", "'-8' names no layer");
  expect("5-2", "'5-2' names no layer");
  expect("last0", "'last0' names no layer");
  expect("", "'' names no layer");
}

TEST(LayerChoice, KnowsTheTunedLayersOfItsDataFile) {  // scripts/tune_layers.py on WMT16
  EXPECT_EQ(tuned_layer("all-MiniLM-L6-v2"), 4u);
  EXPECT_EQ(tuned_layer("bge-small-en-v1.5"), 6u);
}

TEST(LayerChoice, KnowsNoTunedLayerOfAnUnknownModel) {
  EXPECT_FALSE(tuned_layer("somebody's model"));
}

TEST(LayerChoice, OfOneLayer) {
  EXPECT_EQ(choose_layer("bertscore", "last", 6), 6u);
  EXPECT_EQ(choose_layer("bertscore", "-2", 6), 5u);
  EXPECT_EQ(choose_layer("bertscore", "0", 6), 0u);
  EXPECT_ERROR(choose_layer("bertscore", "7", 6), ErrorCode::usage,
               "bertscore: layer='7', expected one layer of 0 to 6, -1 to -7 from the end, or last");
  EXPECT_ERROR(check_layer("bertr", "1+3"), ErrorCode::usage, "bertr: layer='1+3', expected one layer");
  EXPECT_NO_THROW(check_layer("bertr", "tuned"));
}

}  // namespace
}  // namespace markeval::metric
