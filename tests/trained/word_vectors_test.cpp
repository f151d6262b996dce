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
  const WordVectors vectors = letter_vectors({text}, pieces, pool);
  std::vector<std::vector<float>> rows;
  for (std::size_t word = 0; word < vectors.words(0); ++word) {
    std::vector<float>& row = rows.emplace_back();
    for (std::size_t j = 0; j < kLetterLayers * kLetterWidth; ++j)
      row.push_back(from_half(vectors.word(0, word)[j]));
  }
  return rows;
}

TEST(WordVectors, HoldEveryPieceOrTheFirstOfEachWord) {
  const auto un = rows_of("un", Pieces::first).at(0), happy = rows_of("happy", Pieces::first).at(0),
             cat = rows_of("cat", Pieces::first).at(0), s = rows_of("s", Pieces::first).at(0);
  EXPECT_THAT(rows_of("un+happy cat+s", Pieces::all), ::testing::ElementsAre(un, happy, cat, s));
  EXPECT_THAT(rows_of("un+happy cat+s", Pieces::first), ::testing::ElementsAre(un, cat));
}

TEST(WordVectors, HoldNoSpecialTokens) {
  EXPECT_TRUE(rows_of("", Pieces::all).empty());
  EXPECT_TRUE(rows_of("", Pieces::first).empty());
}

TEST(WordVectors, AreTheSameInMemoryAndInAFile) {
  const TempFolder folder;
  const std::vector<std::string> texts{"one two", "", "un+happy cat+s"};
  ThreadPool pool(2);
  const WordVectors here = letter_vectors(texts, Pieces::all, pool);
  const WordVectors there = letter_vectors(texts, Pieces::all, pool, folder.path());
  ASSERT_EQ(there.texts(), 3u);
  EXPECT_EQ(there.words(1), 0u);
  for (std::size_t text = 0; text < 3; ++text) {
    ASSERT_EQ(there.words(text), here.words(text));
    for (std::size_t word = 0; word < there.words(text); ++word) {
      for (std::size_t j = 0; j < kLetterLayers * kLetterWidth; ++j)
        EXPECT_EQ(there.word(text, word)[j], here.word(text, word)[j]);
    }
  }
}

TEST(WordVectors, PiecesHaveTwoNames) {
  EXPECT_EQ(parse_pieces(name(Pieces::all)), Pieces::all);
  EXPECT_EQ(parse_pieces(name(Pieces::first)), Pieces::first);
  EXPECT_ERROR(parse_pieces("last"), ErrorCode::usage, "unknown pieces 'last', expected all or first");
}

}  // namespace
}  // namespace markeval::trained
