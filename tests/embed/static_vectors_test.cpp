#include "embed/static_vectors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/error.hpp"
#include "support/gzip.hpp"
#include "support/temp_folder.hpp"

namespace markeval::embed {
namespace {

using ::testing::ElementsAre;

std::vector<float> vector_of(const StaticVectors& vectors, std::string_view word) {
  const auto row = vectors.find(word);
  if (!row) return {};
  const auto values = vectors.vectors().row(static_cast<std::size_t>(*row));
  return {values.begin(), values.end()};
}

std::string binary_vectors(bool line_breaks) {
  std::string content = "2 3\n";
  const float values[2][3] = {{1, 2, 3}, {-0.5f, 0, 10}};
  const char* names[] = {"tree ", "Leaf "};
  for (int word = 0; word < 2; ++word) {
    content += names[word];
    content.append(reinterpret_cast<const char*>(values[word]), sizeof(values[word]));
    if (line_breaks) content += '\n';
  }
  return content;
}

TEST(StaticVectorFile, ReadsGlove) {
  const TempFolder folder;
  const StaticVectors vectors =
      StaticVectors::load(folder.write("g.txt", "tree 1 2 3\nLeaf -0.5 0 1e1\n. . 7 8 9\n"));
  EXPECT_EQ(vectors.words(), 3u);
  EXPECT_EQ(vectors.width(), 3u);
  EXPECT_THAT(vector_of(vectors, "Leaf"), ElementsAre(-0.5f, 0, 10));
  EXPECT_THAT(vector_of(vectors, ". ."), ElementsAre(7, 8, 9));
}

TEST(StaticVectorFile, ReadsWord2vecAndFastTextText) {
  const TempFolder folder;
  const StaticVectors vectors =
      StaticVectors::load(folder.write("w.vec", "2 3\r\ntree 1 2 3 \r\nLeaf -0.5 0 10\r\n"));
  EXPECT_EQ(vectors.words(), 2u);
  EXPECT_THAT(vector_of(vectors, "tree"), ElementsAre(1, 2, 3));
}

TEST(StaticVectorFile, ReadsWord2vecBinaryWithAndWithoutLineBreaks) {
  const TempFolder folder;
  for (const bool line_breaks : {false, true}) {
    const StaticVectors vectors = StaticVectors::load(folder.write("w.bin", binary_vectors(line_breaks)));
    EXPECT_EQ(vectors.words(), 2u);
    EXPECT_THAT(vector_of(vectors, "tree"), ElementsAre(1, 2, 3));
    EXPECT_THAT(vector_of(vectors, "Leaf"), ElementsAre(-0.5f, 0, 10));
  }
}

TEST(StaticVectorFile, ReadsGzip) {
  const TempFolder folder;
  const std::string glove = folder.write("g.txt.gz", gzip("tree 1 2 3\nLeaf -0.5 0 10\n"));
  EXPECT_EQ(StaticVectors::load(glove).words(), 2u);
  const std::string word2vec = folder.write("w.bin.gz", gzip(binary_vectors(true)));
  EXPECT_EQ(StaticVectors::load(word2vec).words(), 2u);
}

TEST(StaticVectorFile, GzipThatIsNotWholeIsAnError) {
  const TempFolder folder;
  std::string glove;
  for (int word = 0; word < 5000; ++word) glove += "word" + std::to_string(word) + " 1 2 3\n";
  for (const std::string& packed : {gzip(glove), gzip(binary_vectors(false))}) {
    for (const std::size_t missing : {1u, 8u, 9u, 20u}) {
      EXPECT_ERROR(StaticVectors::load(folder.write("v.gz", packed.substr(0, packed.size() - missing))),
                   ErrorCode::invalid_input, "v.gz: gzip data end too early; the file is cut off");
    }
    EXPECT_ERROR(StaticVectors::load(folder.write("v.gz", packed + "more")), ErrorCode::invalid_input,
                 "v.gz: something else follows the gzip data");
  }
}

TEST(StaticVectorFile, HasAsManyWordsAsItsFirstLinePromises) {
  const TempFolder folder;
  const auto load = [&](const char* name, std::string_view content) {
    StaticVectors::load(folder.write(name, content));
  };
  EXPECT_ERROR(load("few", "3 2\na 1 2\nb 3 4\n"), ErrorCode::invalid_input,
               "few: 2 words found, its first line promises 3");
  EXPECT_ERROR(load("many", "1 2\na 1 2\nb 3 4\n"), ErrorCode::invalid_input,
               "many: 2 words found, its first line promises 1");
  std::string binary = binary_vectors(true);
  EXPECT_ERROR(load("more bytes", binary + "rest"), ErrorCode::invalid_input,
               "more bytes: 5 bytes after the last of its 2 words");
  binary[0] = '3';
  EXPECT_ERROR(load("few.bin", binary), ErrorCode::invalid_input,
               "few.bin: 2 words found, its first line promises 3");
  binary[0] = '1';
  EXPECT_ERROR(load("many.bin", binary), ErrorCode::invalid_input,
               "many.bin: 2 words found, its first line promises 1");
  // A word that comes twice is two of those promised; empty lines are none.
  EXPECT_EQ(StaticVectors::load(folder.write("twins", "3 2\na 1 2\n\na 3 4\nb 5 6\n\n")).words(), 2u);
}

TEST(StaticVectorFile, KeepsOnlyWhatIsWantedAndTheFirstOfTwins) {
  const TempFolder folder;
  const std::string path = folder.write("g.txt", "a 1 2\nb 3 4\na 5 6\nc 7 8\n");
  EXPECT_EQ(StaticVectors::load(path).words(), 3u);
  const std::unordered_set<std::string> wanted = {"a", "c"};
  const StaticVectors vectors = StaticVectors::load(path, &wanted);
  EXPECT_EQ(vectors.words(), 2u);
  EXPECT_THAT(vector_of(vectors, "a"), ElementsAre(1, 2));
  EXPECT_THAT(vector_of(vectors, "c"), ElementsAre(7, 8));
}

TEST(StaticVectorFile, NamesFileAndLineOfWhatIsWrong) {
  const TempFolder folder;
  const auto load = [&](const char* name, std::string_view content) {
    StaticVectors::load(folder.write(name, content));
  };
  EXPECT_ERROR(StaticVectors::load(folder.file("none")), ErrorCode::io, "none: cannot open: No such file");
  EXPECT_ERROR(load("empty", ""), ErrorCode::invalid_input, "empty: empty, expected word vectors");
  EXPECT_ERROR(load("prose", "once upon a time\n"), ErrorCode::invalid_input,
               "prose:1: neither 'WORDS WIDTH' nor a word and its numbers");
  EXPECT_ERROR(load("wide", "1 3000000000\na 1\n"), ErrorCode::invalid_input,
               "wide:1: vectors of 3000000000 numbers, expected at most 1048576");
  EXPECT_ERROR(load("short", "a 1 2 3\nb 1 2\n"), ErrorCode::invalid_input,
               "short:2: no word with 3 numbers");
  EXPECT_ERROR(load("nan", "a 1 2 3\nb 1 nan 2\n"), ErrorCode::invalid_input,
               "nan:2: no word with 3 numbers");
  // The first line said how many numbers there are, and words became 'the 1 2'.
  EXPECT_ERROR(load("damaged", "cat 3 nan 2\nthe 1 2 3\n"), ErrorCode::invalid_input,
               "damaged:1: the word 'cat 3 nan' has numbers in it, expected one word and 1 numbers");
  EXPECT_ERROR(load("long", "cat 1 2\nthe 1 2 3\n"), ErrorCode::invalid_input,
               "long:2: the word 'the 1' has numbers in it, expected one word and 2 numbers");
  EXPECT_NO_THROW(load("blanks", ". . . 1 2\nat name@domain.com 1 2\n1 2 3\n"));
  EXPECT_ERROR(load("cut", binary_vectors(false).substr(0, 20)), ErrorCode::invalid_input,
               "cut: the vector of 'tree' is cut short, expected 3 numbers");
}

TEST(StaticWords, AreSplitFromPunctuationAtTheirEnds) {
  const std::string_view text = " Well-known, \"isn't it?\"";
  std::vector<std::string> words;
  for (const TextRange& span : split_words(text))
    words.emplace_back(text.substr(span.begin, span.end - span.begin));
  EXPECT_THAT(words, ElementsAre("Well-known", ",", "\"", "isn't", "it", "?", "\""));
  EXPECT_TRUE(split_words("  ").empty());
}

TEST(StaticWords, FallBackToLowerCaseThenToPartsThenCountAsUnknown) {
  const TempFolder folder;
  const StaticVectors vectors =
      StaticVectors::load(folder.write("g.txt", "tree 1\nNice 2\nwell 3\nknown 4\n. 5\n"));
  const std::string_view text = "TREE nice Nice well-known Blorp .";
  std::size_t unknown = 0;
  const TextTokens tokens = static_tokens(vectors, text, unknown);
  EXPECT_THAT(tokens.ids, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(unknown, 2u) << "nice in lower case and Blorp";
  EXPECT_EQ(text.substr(tokens.offsets[3].begin, 5), "known");
}

}  // namespace
}  // namespace markeval::embed
