#include "token/token_limit.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/temp_folder.hpp"
#include "token/tokenizer.hpp"
#include "token/tokenizer_files.hpp"

namespace markeval::token {
namespace {

std::size_t limit_of(const TempFolder& folder, LimitFor purpose) {
  return token_limit(FolderFiles(folder.path(), kTokenizerFiles), purpose);
}
std::size_t positions_of(const TempFolder& folder) {
  return position_limit(FolderFiles(folder.path(), kTokenizerFiles));
}

TEST(TokenLimit, IsTheSmallerOfTokenizerAndPositions) {
  const TempFolder folder;
  EXPECT_EQ(limit_of(folder, LimitFor::tokens), kNoLimit);
  folder.write("config.json", R"({"model_type": "bert", "max_position_embeddings": 512})");
  EXPECT_EQ(limit_of(folder, LimitFor::tokens), 512U);
  folder.write("tokenizer_config.json", R"({"model_max_length": 128})");
  EXPECT_EQ(limit_of(folder, LimitFor::tokens), 128U);
  folder.write("tokenizer_config.json", R"({"model_max_length": 1000000000000000019884624838656})");
  EXPECT_EQ(limit_of(folder, LimitFor::tokens), 512U);
}

TEST(TokenLimit, ReadsBertConfigWhereThereIsNoOther) {
  const TempFolder folder;
  folder.write("bert_config.json", R"({"max_position_embeddings": 512})");
  EXPECT_EQ(limit_of(folder, LimitFor::tokens), 512U);
  folder.write("config.json", R"({"model_type": "bert", "max_position_embeddings": 128})");
  EXPECT_EQ(limit_of(folder, LimitFor::tokens), 128U);
}

TEST(TokenLimit, TakesTheSentenceConfigForSentencesOnly) {
  const TempFolder folder;
  folder.write("config.json", R"({"max_position_embeddings": 512})");
  folder.write("sentence_bert_config.json", R"({"max_seq_length": 256})");
  EXPECT_EQ(limit_of(folder, LimitFor::sentences), 256U);
  EXPECT_EQ(limit_of(folder, LimitFor::tokens), 512U);
  folder.write("sentence_bert_config.json", R"({"max_seq_length": null})");
  EXPECT_EQ(limit_of(folder, LimitFor::sentences), 512U);
  folder.write("sentence_bert_config.json", R"({"max_seq_length": 6.5})");
  EXPECT_ERROR(limit_of(folder, LimitFor::sentences), ErrorCode::invalid_input,
               "'max_seq_length' is 6.5, expected a number of tokens");
}

TEST(TokenLimit, LeavesOutThePositionsOfThePadding) {
  const TempFolder folder;
  folder.write("config.json",
               R"({"model_type": "xlm-roberta", "max_position_embeddings": 514, "pad_token_id": 1})");
  EXPECT_EQ(limit_of(folder, LimitFor::tokens), 512U);
}

TEST(TokenLimit, OfPositionsIsNotTheTokenizers) {
  const TempFolder folder;
  EXPECT_EQ(positions_of(folder), kNoLimit);
  folder.write("config.json", R"({"max_position_embeddings": 512})");
  folder.write("tokenizer_config.json", R"({"model_max_length": 128})");
  EXPECT_EQ(positions_of(folder), 512U);
}

TEST(TokenLimit, RefusesNonsense) {
  const TempFolder folder;
  folder.write("tokenizer_config.json", R"({"model_max_length": "long"})");
  EXPECT_ERROR(limit_of(folder, LimitFor::tokens), ErrorCode::invalid_input, "'model_max_length' is 'long'");
  folder.write("tokenizer_config.json", "{");
  EXPECT_ERROR(limit_of(folder, LimitFor::tokens), ErrorCode::invalid_input,
               "tokenizer_config.json: not JSON");
  folder.write("tokenizer_config.json", "{}");
  folder.write("config.json",
               R"({"model_type": "roberta", "max_position_embeddings": 2, "pad_token_id": 1})");
  EXPECT_ERROR(limit_of(folder, LimitFor::tokens), ErrorCode::invalid_input,
               "2 positions, but the padding takes 2");
}

}  // namespace
}  // namespace markeval::token
