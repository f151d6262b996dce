#include "metric/baseline.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/temp_folder.hpp"

namespace markeval::metric {
namespace {

TEST(BaselineFile, IsReadInThePublicFormat) {
  const TempFolder folder;
  const Baseline baseline =
      Baseline::load(folder.write("base.tsv", "LAYER,P,R,F\r\n0,0.25,0.5,0.3\r\n1,-0.1,2e-1,0.0\r\n"));
  EXPECT_EQ(baseline.layer(0).recall, 0.5);
  EXPECT_EQ(baseline.layer(1).precision, -0.1);
  EXPECT_EQ(baseline.layer(1).recall, 0.2);
}

TEST(BaselineFile, ComesBackFromItsOwnText) {
  Baseline baseline;
  baseline.set(2, {0.123456789, 0.5, 0.25});
  baseline.set(0, {0.1, 0.2, 0.3});
  EXPECT_EQ(baseline.text(), "LAYER,P,R,F\n0,0.1,0.2,0.3\n2,0.123456789,0.5,0.25\n");
  EXPECT_EQ(Baseline::parse(baseline.text(), "x").layer(2).precision, 0.123456789);
}

TEST(BaselineFile, NamesWhatIsWrong) {
  const TempFolder folder;
  const auto parse = [](const char* content) { return Baseline::parse(content, "b"); };
  EXPECT_ERROR(Baseline::load(folder.file("none")), ErrorCode::io,
               "none: no such file, expected one made by markeval baseline");
  EXPECT_ERROR(parse("layer\n"), ErrorCode::invalid_input, "b:1: 'layer', expected the header LAYER,P,R,F");
  EXPECT_ERROR(parse("LAYER,P,R,F\n0,1,2\n"), ErrorCode::invalid_input,
               "b:2: '0,1,2', expected a layer and three numbers");
  EXPECT_ERROR(parse("LAYER,P,R,F\n0,1,0,0\n"), ErrorCode::invalid_input,
               "b:2: 1 is no baseline, expected a number below 1");
  EXPECT_ERROR(parse("LAYER,P,R,F\n2,.1,.1,.1\n2,.5,.5,.5\n"), ErrorCode::invalid_input,
               "b:3: layer 2 comes twice");
  EXPECT_ERROR(parse("LAYER,P,R,F\n"), ErrorCode::invalid_input, "b: no layer");
  EXPECT_ERROR(parse("LAYER,P,R,F\n3,0,0,0\n4,0,0,0\n").layer(7), ErrorCode::invalid_input,
               "b: no baseline for layer 7, it has layers 3 to 4");
}

TEST(Rescaling, MovesTheBaselineToZeroAndKeepsOne) {
  // bert_score's English baseline of roberta-large, layer 17.
  const PrecisionRecall base{0.83150584, 0.8314941, 0.83122575};
  const PrecisionRecall scaled = rescale({0.83150584, 1, 0.9}, base);
  EXPECT_EQ(scaled.precision, 0);
  EXPECT_EQ(scaled.recall, 1);
  EXPECT_NEAR(scaled.f1, (0.9 - 0.83122575) / (1 - 0.83122575), 1e-15);
}

}  // namespace
}  // namespace markeval::metric
