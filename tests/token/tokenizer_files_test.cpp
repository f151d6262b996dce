#include "token/tokenizer_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "support/temp_folder.hpp"
#include "token/tokenizer.hpp"

namespace markeval::token {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;

json read_golden(const std::string& name) {
  std::ifstream in(std::filesystem::path(MARKEVAL_GOLDEN_FOLDER) / (name + ".json"));
  return json::parse(in);
}

void expect_golden_ids(const Tokenizer& tokenizer, const json& golden) {
  TokenizerScratch scratch;
  for (const json& expected : golden["cases"]) {
    PackedBatch batch;
    tokenizer.append(expected["text"].get<std::string>(), kNoLimit, scratch, batch);
    EXPECT_EQ(batch.ids, expected["ids"].get<std::vector<std::int32_t>>()) << expected["text"].dump();
  }
}

TEST(TokenizerFiles, ReadsTokenizerJsonFirst) {
  const TempFolder folder;
  const json golden = read_golden("byte_bpe_plain");
  folder.write("tokenizer.json", golden["tokenizer"].dump());
  folder.write("vocab.txt", "nothing of use\n");
  expect_golden_ids(Tokenizer::load(folder.path()), golden);
}

TEST(TokenizerFiles, GooglesVocabularyWithCapitalLettersKeepsTheCaseOfTexts) {
  const TempFolder folder;
  folder.write("bert_config.json", "{}");
  const std::string special = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
  const auto ids = [&](const std::string& vocabulary) {
    folder.write("vocab.txt", special + vocabulary);
    TokenizerScratch scratch;
    PackedBatch batch;
    Tokenizer::load(folder.path()).append("Cat", kNoLimit, scratch, batch);
    return batch.ids;
  };
  EXPECT_THAT(ids("cat\nCat\n"), ElementsAre(2, 6, 3));
  EXPECT_THAT(ids("cat\n"), ElementsAre(2, 5, 3)) << "the names of special tokens do not count";
  folder.write("tokenizer_config.json", R"({"do_lower_case": true})");
  EXPECT_THAT(ids("cat\nCat\n"), ElementsAre(2, 5, 3)) << "what the settings say counts";
}

TEST(TokenizerFiles, ReadsVocabularyAndMergesLikeRoberta) {
  const TempFolder folder;
  const json golden = read_golden("byte_bpe_plain");
  const json& model = golden["tokenizer"]["model"];
  folder.write("vocab.json", model["vocab"].dump());
  std::string merges = "#version: 0.2\n";
  for (const json& merge : model["merges"]) {
    merges += merge[0].get<std::string>();
    merges += ' ';
    merges += merge[1].get<std::string>();
    merges += '\n';
  }
  folder.write("merges.txt", merges);
  expect_golden_ids(Tokenizer::load(folder.path()), golden);
}

TEST(TokenizerFiles, ReadsAVocabularyLikeBert) {
  const TempFolder folder;
  folder.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nThe\nthe\nriver\n##s \r\n");
  TokenizerScratch scratch;
  PackedBatch batch;
  Tokenizer::load(folder.path()).append("The rivers [MASK]", kNoLimit, scratch, batch);
  EXPECT_THAT(batch.ids, ElementsAre(2, 6, 7, 8, 4, 3));
  folder.write("tokenizer_config.json", R"({"do_lower_case": false, "cls_token": {"content": "[PAD]"}})");
  batch.clear();
  Tokenizer::load(folder.path()).append("The rivers", kNoLimit, scratch, batch);
  EXPECT_THAT(batch.ids, ElementsAre(0, 5, 7, 8, 3));
}

TEST(TokenizerFiles, SaysWhatIsMissing) {
  const TempFolder folder;
  EXPECT_ERROR(Tokenizer::load(folder.path()), ErrorCode::invalid_input,
               "no tokenizer; expected tokenizer.json, or");
  EXPECT_ERROR(Tokenizer::load(folder.file("none")), ErrorCode::io, "none: no such folder");
  folder.write("vocab.txt", "a\nb\n");
  EXPECT_ERROR(Tokenizer::load(folder.path()), ErrorCode::invalid_input, "no piece '[CLS]'");
  folder.write("vocab.txt", "");
  EXPECT_ERROR(Tokenizer::load(folder.path()), ErrorCode::invalid_input, "vocab.txt: empty");
  folder.write("vocab.txt", "\xFF\n");
  EXPECT_ERROR(Tokenizer::load(folder.path()), ErrorCode::invalid_input, "vocab.txt:1: invalid UTF-8");
  folder.write("tokenizer.json", "{");
  EXPECT_ERROR(Tokenizer::load(folder.path()), ErrorCode::invalid_input, "tokenizer.json: not JSON");
}

TEST(TokenizerFiles, AVocabularyTooDeepToReadIsRefused) {
  const TempFolder folder;
  folder.write("vocab.json", "{\"a\": " + std::string(200000, '[') + std::string(200000, ']') + "}");
  folder.write("merges.txt", "");
  EXPECT_ERROR(Tokenizer::load(folder.path()), ErrorCode::invalid_input,
               "vocab.json: 101 levels of JSON, more than 100");
}

}  // namespace
}  // namespace markeval::token
