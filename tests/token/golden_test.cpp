// Every tokenizer of tests/token/golden gives what PyPI `tokenizers` 0.22.2 gave (make_goldens.py).
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "text/utf8.hpp"
#include "token/tokenizer.hpp"

namespace markeval::token {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

std::vector<std::string> golden_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(MARKEVAL_GOLDEN_FOLDER))
    names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class GoldenTokens : public ::testing::TestWithParam<std::string> {
 protected:
  GoldenTokens() {
    std::ifstream in(fs::path(MARKEVAL_GOLDEN_FOLDER) / (GetParam() + ".json"));
    golden_ = json::parse(in);
  }
  json golden_;
};

TEST_P(GoldenTokens, HaveTheSameIdsOffsetsAndWords) {
  const Tokenizer tokenizer = Tokenizer::from_json(golden_["tokenizer"].dump(), GetParam());
  TokenizerScratch scratch;
  for (int round = 0; round < 2; ++round) {  // the second time from the word cache
    for (const json& expected : golden_["cases"]) {
      const auto text = expected["text"].get<std::string>();
      SCOPED_TRACE("text: " + expected["text"].dump());
      PackedBatch batch;
      tokenizer.append(text, kNoLimit, scratch, batch);
      EXPECT_EQ(batch.ids, expected["ids"].get<std::vector<std::int32_t>>());
      Encoding encoding;
      tokenizer.encode(text, kNoLimit, scratch, encoding);
      EXPECT_EQ(encoding.ids, batch.ids);
      EXPECT_EQ(encoding.words, expected["words"].get<std::vector<std::int32_t>>());
      EXPECT_EQ(encoding.special, expected["special"].get<std::vector<std::uint8_t>>());
      std::vector<std::size_t> offsets;
      for (const SourceRange range : encoding.offsets) {
        offsets.push_back(text::count_characters(std::string_view(text).substr(0, range.begin)));
        offsets.push_back(text::count_characters(std::string_view(text).substr(0, range.end)));
      }
      EXPECT_EQ(offsets, expected["offsets"].get<std::vector<std::size_t>>());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, GoldenTokens, ::testing::ValuesIn(golden_names()),
                         [](const auto& golden) { return golden.param; });

}  // namespace
}  // namespace markeval::token
