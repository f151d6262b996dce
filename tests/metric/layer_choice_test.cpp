#include "metric/layer_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.hpp"
#include "support/temp_folder.hpp"

namespace markeval::metric {
namespace {

using ::testing::ElementsAre;

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

TEST(DefaultLayer, IsThatOfTheTable) {
  const auto expect = [](const std::string& name, std::size_t last, std::size_t layer, const char* source) {
    const auto found = default_layer(std::vector{name}, last);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found->layer, layer) << name;
    EXPECT_EQ(found->source, source) << name;
  };
  expect("all-MiniLM-L6-v2", 6, 4, "markeval");  // scripts/tune_layers.py on WMT16
  expect("sentence-transformers/all-MiniLM-L6-v2", 6, 4, "markeval");
  expect("bge-small-en-v1.5", 12, 6, "markeval");
  expect("bert-base-uncased", 12, 9, "bert_score 0.3.13");
  expect("FacebookAI/roberta-large", 24, 17, "bert_score 0.3.13");
  expect("roberta-large-mnli", 24, 19, "bert_score 0.3.13");
  expect("microsoft/deberta-xlarge-mnli", 48, 40, "bert_score 0.3.13");
  expect("mpnet-base", 12, 8, "bert_score 0.3.13");
}

TEST(DefaultLayer, IsOfTheFirstNameTheTableKnows) {
  const std::vector<std::string> names{"my model", "/home/me/roberta-base"};
  EXPECT_EQ(default_layer(names, 12)->layer, 10u);
  EXPECT_FALSE(default_layer(std::vector<std::string>{"somebody's model", ""}, 12));
}

TEST(DefaultLayer, IsNoneWhereTheModelIsNotSoDeep) {
  EXPECT_FALSE(default_layer(std::vector<std::string>{"roberta-large"}, 2));
  EXPECT_TRUE(default_layer(std::vector<std::string>{"roberta-large"}, 17));
}

TEST(DefaultLayer, HasOneLinePerName) {
  std::set<std::string_view> names;
  for (const DefaultLayer& known : default_layers()) {
    EXPECT_TRUE(names.insert(known.model.substr(known.model.rfind('/') + 1)).second) << known.model;
    EXPECT_GT(known.layer, 0u) << known.model;
    EXPECT_FALSE(known.source.empty()) << known.model;
  }
  EXPECT_EQ(names.size(), 90u);
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
