#include "token/tokenizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "base/cancellation.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "support/stopped.hpp"
#include "support/temp_folder.hpp"

namespace markeval::token {
namespace {

using ::testing::ElementsAre;

// A BERT of a dozen pieces.
constexpr const char* kSmallBert = R"json({
  "version": "1.0",
  "truncation": {"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0},
  "padding": {"strategy": {"Fixed": 4}, "direction": "Right", "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]"},
  "added_tokens": [
    {"id": 2, "content": "[CLS]", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true},
    {"id": 3, "content": "[SEP]", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true}],
  "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
  "pre_tokenizer": {"type": "BertPreTokenizer"},
  "post_processor": {"type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
    "pair": [], "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]}, "[SEP]": {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]}}},
  "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 12,
    "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "the": 4, "river": 5, "##s": 6, "run": 7, "##ning": 8, ",": 9, "cafe": 10, "水": 11}}
})json";

class SmallBert : public ::testing::Test {
 protected:
  std::vector<std::int32_t> ids(std::string_view text, std::size_t limit = kNoLimit) {
    PackedBatch batch;
    counts_ = tokenizer_.append(text, limit, scratch_, batch);
    return batch.ids;
  }
  Tokenizer tokenizer_ = Tokenizer::from_json(kSmallBert, "small.json");
  TokenizerScratch scratch_;
  TextCounts counts_;
};

TEST_F(SmallBert, CutsWordsIntoTheLongestPieces) {
  EXPECT_THAT(ids("The rivers, RUNNING"), ElementsAre(2, 4, 5, 6, 9, 7, 8, 3));
  EXPECT_THAT(ids("caf\u00E9\u6C34river"), ElementsAre(2, 10, 11, 5, 3));
  EXPECT_THAT(ids(""), ElementsAre(2, 3));
}

TEST_F(SmallBert, CountsUnknownWords) {
  EXPECT_THAT(ids("the lake runs riverx"), ElementsAre(2, 4, 1, 7, 6, 1, 3));
  EXPECT_EQ(counts_.unknown, 2U);
  EXPECT_THAT(ids("runningrunsrun"), ElementsAre(2, 1, 3));  // 14 characters, 12 allowed
}

TEST_F(SmallBert, CutsAtTheLimitAndSaysSo) {
  EXPECT_THAT(ids("the rivers, running", 5), ElementsAre(2, 4, 5, 6, 3));
  EXPECT_EQ(counts_.cut_tokens, 3U);
  EXPECT_THAT(ids("the", 5), ElementsAre(2, 4, 3));
  EXPECT_EQ(counts_.cut_tokens, 0U);
  EXPECT_ERROR(ids("the", 2), ErrorCode::usage, "leaves no room beside 2 special tokens");
}

TEST_F(SmallBert, TiesTokensToBytesAndWordsOfTheOriginal) {
  Encoding encoding;
  const std::string text = "  caf\u00E9 rivers";
  tokenizer_.encode(text, kNoLimit, scratch_, encoding);
  EXPECT_THAT(encoding.ids, ElementsAre(2, 10, 5, 6, 3));
  EXPECT_THAT(encoding.words, ElementsAre(-1, 0, 1, 1, -1));
  EXPECT_THAT(encoding.special, ElementsAre(1, 0, 0, 0, 1));
  const auto covered = [&](std::size_t i) {
    return text.substr(encoding.offsets[i].begin, encoding.offsets[i].end - encoding.offsets[i].begin);
  };
  EXPECT_EQ(covered(1), "caf\u00E9");
  EXPECT_EQ(covered(2), "river");
  EXPECT_EQ(covered(3), "s");
  EXPECT_TRUE(encoding.starts_word(2));
  EXPECT_FALSE(encoding.starts_word(3));
  EXPECT_FALSE(encoding.starts_word(0));
}

TEST_F(SmallBert, PacksSequencesEndToEnd) {
  PackedBatch batch;
  tokenizer_.append("the", kNoLimit, scratch_, batch);
  tokenizer_.append("rivers", kNoLimit, scratch_, batch);
  EXPECT_THAT(batch.starts, ElementsAre(0U, 3U, 7U));
  EXPECT_THAT(batch.sequence(1), ElementsAre(2, 5, 6, 3));
}

TEST_F(SmallBert, KnowsItsPieces) {
  EXPECT_EQ(tokenizer_.id_limit(), 12U);
  EXPECT_EQ(tokenizer_.piece(8), "##ning");
  EXPECT_EQ(tokenizer_.piece(99), "");
  EXPECT_EQ(tokenizer_.id("river"), 5);
  EXPECT_EQ(tokenizer_.id("lake"), std::nullopt);
  EXPECT_EQ(tokenizer_.unknown_id(), 1);
  EXPECT_TRUE(tokenizer_.continues_word(8));
  EXPECT_FALSE(tokenizer_.continues_word(5));
  EXPECT_EQ(tokenizer_.special_count(), 2U);
}

TEST_F(SmallBert, GivesEveryThreadTheSameIds) {
  const std::vector<std::int32_t> expected = ids("The rivers, running caf\u00E9");
  std::vector<std::thread> threads;
  std::atomic<int> different{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      TokenizerScratch scratch;
      for (int round = 0; round < 500; ++round) {
        PackedBatch batch;
        tokenizer_.append("The rivers, running caf\u00E9", kNoLimit, scratch, batch);
        if (batch.ids != expected) ++different;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(different, 0);
}

TEST_F(SmallBert, AScratchMayServeSeveralTokenizers) {
  EXPECT_THAT(ids("river"), ElementsAre(2, 5, 3));
  std::string other = kSmallBert;
  other.replace(other.find("\"river\": 5"), 10, "\"river\": 7");
  other.replace(other.find("\"run\": 7"), 8, "\"run\": 5");
  const Tokenizer swapped = Tokenizer::from_json(other, "other.json");
  PackedBatch batch;
  swapped.append("river", kNoLimit, scratch_, batch);
  EXPECT_THAT(batch.ids, ElementsAre(2, 7, 3));
  EXPECT_THAT(ids("river"), ElementsAre(2, 5, 3));
}

// ids made by tokenizers 0.22.2 with the tokenizer.json of sentence-transformers/all-MiniLM-L6-v2.
TEST_F(SmallBert, EndsAtRandomMomentsWhereItIsStopped) {
  const std::string text(2 << 20, 'a'), words = [] {
    std::string many;
    while (many.size() < (2 << 20)) many += "the cat sat. ";
    return many;
  }();
  double longest = 0;
  for (std::uint64_t round = 0; round < 20; ++round) {
    TokenizerScratch scratch;
    Encoding encoding;
    const std::chrono::microseconds pause(RandomStream(3, round).below(50'000));
    longest = std::max(longest, cpu_seconds_after_stop(pause, [&] {
                         for (;;) tokenizer_.encode(round % 2 == 0 ? text : words, 128, scratch, encoding);
                       }));
  }
  EXPECT_LT(longest, 1.0);
}

TEST(RealTokenizer, GivesTheIdsOfThePublicTool) {
  const char* models = std::getenv("MARKEVAL_MODELS");
  const std::filesystem::path folder =
      std::filesystem::path(models != nullptr ? models : MARKEVAL_PROJECT_FOLDER "/models") /
      "all-MiniLM-L6-v2";
  if (!std::filesystem::exists(folder / "tokenizer.json")) GTEST_SKIP() << "no model at " << folder;
  const Tokenizer tokenizer = Tokenizer::load(folder.string());
  TokenizerScratch scratch;
  PackedBatch batch;
  tokenizer.append("The ferry left at dawn, didn't it? \u00C5ngstr\u00F6m \u6C34.", kNoLimit, scratch, batch);
  EXPECT_THAT(batch.ids, ElementsAre(101, 1996, 7115, 2187, 2012, 6440, 1010, 2134, 1005, 1056, 2009, 1029,
                                     17076, 15687, 1893, 1012, 102));
}

}  // namespace
}  // namespace markeval::token
