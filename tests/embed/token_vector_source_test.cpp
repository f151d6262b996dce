#include "embed/token_vector_source.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "support/temp_folder.hpp"
#include "vectors/npy.hpp"

namespace markeval::embed {
namespace {

class TokenVectorFiles : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& table, const std::vector<float>& values,
                    std::vector<std::size_t> shape = {2}) {
    vectors::NpyWriter writer(folder_.file(name + ".npy"), shape);
    writer.write(values);
    writer.commit();
    folder_.write(name + ".tokens.tsv", table);
    return folder_.file(name + ".npy");
  }
  void expect_error(const std::string& table, const std::string& message) {
    const std::string path = write("bad", table, {1, 2, 3, 4});
    EXPECT_ERROR(source_.read(path, pool_), ErrorCode::invalid_input, message);
  }

  TempFolder folder_;
  ThreadPool pool_{2};
  TokenVectorSource source_;
};

const std::string kHeader = "row\tsegment\tid\tpiece\tkind\n";

TEST_F(TokenVectorFiles, GiveTextsTokensAndTheLayersAskedFor) {
  const std::string path = write(
      "a",
      kHeader + "0\t1\t2\t[CLS]\tspecial\n1\t1\t5\trun\tword\n2\t1\t7\t##ning\tpart\n3\t3\t6\tfar\tword\n",
      {0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, {2, 2});
  const text::Corpus corpus = source_.read(path, pool_);
  EXPECT_EQ(corpus.texts, (std::vector<std::string>{"running", "", "far"}));
  EXPECT_EQ(source_.last_layer(), 1u);
  EXPECT_EQ(source_.width(), 2u);
  const std::vector<std::string_view> views(corpus.texts.begin(), corpus.texts.end());
  const RunContext context{pool_};
  const EncodedTexts encoded = source_.encode(views, {{1}, {}}, {}, context);
  const EncodedText first = encoded.text(encoded.slot(0));
  ASSERT_EQ(first.tokens.size(), 3u);
  EXPECT_TRUE(first.tokens.facts[0].special);
  EXPECT_FALSE(first.tokens.facts[2].starts_word);
  EXPECT_EQ(first.tokens.offsets[2].begin, 3u);
  EXPECT_EQ(first.tokens.offsets[2].end, 7u);
  EXPECT_EQ(first.layer(1)(2, 0), 8);
  EXPECT_EQ(encoded.text(encoded.slot(1)).tokens.size(), 0u);
  EXPECT_EQ(encoded.text(encoded.slot(2)).layer(1)(0, 1), 13);
  EXPECT_EQ(source_.token_ids(views, context)[0].ids, (std::vector<std::int32_t>{2, 5, 7}));
}

TEST_F(TokenVectorFiles, MustFitTheirTable) {
  expect_error("id\tpiece\n", "bad.tokens.tsv:1: 'id\\tpiece', expected the columns row, segment, id, piece");
  expect_error(kHeader + "0\t1\t5\ta\tword\n", "bad.tokens.tsv: 1 tokens, but");
  expect_error(kHeader + "0\t1\t5\ta\tword\n1\t1\t5\tb\tword\n2\t1\t5\tc\tword\n",
               "bad.tokens.tsv:4: row 2, but");
  expect_error(kHeader + "1\t1\t5\ta\tword\n", "bad.tokens.tsv:2: row 1, expected 0");
  expect_error(kHeader + "0\t2\t5\ta\tword\n1\t1\t5\tb\tword\n",
               "bad.tokens.tsv:3: segment 1, expected 2 or more");
  expect_error(kHeader + "0\t1\tx\ta\tword\n", "bad.tokens.tsv:2: id 'x', expected a whole number");
  expect_error(kHeader + "0\t1\t-1\ta\tword\n", "bad.tokens.tsv:2: id -1, expected 0 or more");
  expect_error(kHeader + "0\t1\t5\ta\n", "bad.tokens.tsv:2: 4 columns, expected 5");
  expect_error(kHeader + "0\t1\t5\ta\tverb\n",
               "bad.tokens.tsv:2: kind 'verb', expected word, part or special");
}

TEST_F(TokenVectorFiles, MustBeFiniteAndOfOneWidth) {
  const std::string table = "row\tsegment\tid\tpiece\n0\t1\t5\ta\n";
  source_.read(write("a", table, {1, 2}), pool_);
  EXPECT_ERROR(source_.read(write("b", table, {1, 2, 3}, {3}), pool_), ErrorCode::invalid_input,
               "b.npy: 1 x 3 (layers x columns), but");
  EXPECT_ERROR(source_.read(write("c", table, {1, NAN}), pool_), ErrorCode::invalid_input, "c.npy");
}

TEST_F(TokenVectorFiles, KnowNoOtherText) {
  const text::Corpus corpus =
      source_.read(write("a", "row\tsegment\tid\tpiece\n0\t1\t5\ta\n", {1, 2}), pool_);
  const std::string other = "another text, long enough to lie on the heap";
  const std::string_view view = other;
  EXPECT_ERROR(source_.token_ids({&view, 1}, RunContext{pool_}), ErrorCode::usage,
               "token vectors have no tokenizer");
}

}  // namespace
}  // namespace markeval::embed
