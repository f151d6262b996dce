#include "trained/word_vectors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/temp_folder.hpp"
#include "trained/word_source.hpp"

namespace markeval::trained {
namespace {

/// The rows a network reads of a text, each with the numbers of all layers.
std::vector<std::vector<float>> rows_of(const std::string& text, Pieces pieces) {
  ThreadPool pool(1);
  WordSource source;
  embed::VectorCache no_cache("none");
  WordEncoder encoder(source, pieces, no_cache, embed::CacheContext({}), pool);
  std::vector<std::vector<float>> rows;
  const std::vector<std::string_view> texts{text};
  encoder.encode(
      texts,
      [&](std::size_t, MatrixView<const float> found, const embed::TextNote&) {
        for (std::size_t row = 0; row < found.rows(); ++row)
          rows.emplace_back(found.row(row).begin(), found.row(row).end());
      },
      RunContext{pool});
  return rows;
}

TEST(WordVectors, HoldEveryPieceOrTheFirstOfEachWord) {
  const auto un = rows_of("un", Pieces::first).at(0), happy = rows_of("happy", Pieces::first).at(0),
             cat = rows_of("cat", Pieces::first).at(0), s = rows_of("s", Pieces::first).at(0);
  EXPECT_THAT(rows_of("un+happy cat+s", Pieces::all), testing::ElementsAre(un, happy, cat, s));
  EXPECT_THAT(rows_of("un+happy cat+s", Pieces::first), testing::ElementsAre(un, cat));
}

TEST(WordVectors, HoldNoSpecialTokens) {
  EXPECT_TRUE(rows_of("", Pieces::all).empty());
  EXPECT_TRUE(rows_of("", Pieces::first).empty());
}

TEST(WordVectors, PiecesHaveTwoNames) {
  EXPECT_EQ(parse_pieces(name(Pieces::all)), Pieces::all);
  EXPECT_EQ(parse_pieces(name(Pieces::first)), Pieces::first);
  EXPECT_ERROR(parse_pieces("last"), ErrorCode::usage, "unknown pieces 'last', expected all or first");
}

}  // namespace
}  // namespace markeval::trained
