// The small BERT of tests/encoder with a vocabulary of letters.
#include "api/embedding.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "api/markeval.hpp"
#include "support/temp_folder.hpp"

namespace markeval {
namespace {

namespace fs = std::filesystem;

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {(std::istreambuf_iterator<char>(file)), {}};
}

/// Shape text and numbers of a .npy file as our writer makes them.
struct Npy {
  std::string shape;
  std::vector<float> values;
  explicit Npy(const std::string& path) {
    const std::string bytes = content_of(path);
    EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
    const std::size_t start = bytes.find("'shape': ") + 9;
    shape = bytes.substr(start, bytes.find(')') + 1 - start);
    values.resize((bytes.size() - 128) / sizeof(float));
    std::memcpy(values.data(), bytes.data() + 128, values.size() * sizeof(float));
  }
};

class EmbedTexts : public ::testing::Test {
 protected:
  EmbedTexts() {
    fs::create_directories(folder_.file("model"));
    for (const char* file : {"config.json", "model.safetensors"}) {
      fs::copy(std::string(MARKEVAL_TEST_MODELS) + "/bert/" + file, folder_.file("model/") + file);
    }
    std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
    for (char letter = 'a'; letter <= 'z'; ++letter)
      vocabulary += std::string(1, letter) + "\n##" + letter + "\n";
    folder_.write("model/vocab.txt", vocabulary);
    request_.encoder.model = folder_.file("model");
    request_.input = folder_.write("lines.txt", "ab c\n  \nxyz\nab c\n\xc3\x9f zz\n");
    request_.output = folder_.file("out.npy");
    request_.encoder.cache = folder_.file("cache");
    request_.layer = -1;
  }
  EmbedReport run() { return embed_texts(request_, {.threads = 2}); }
  Npy result() { return Npy(request_.output); }

  TempFolder folder_;
  EmbedRequest request_;
};

TEST_F(EmbedTexts, WritesARowPerLineAndCounts) {
  const EmbedReport report = run();
  EXPECT_EQ(report.segments, 5u);
  EXPECT_EQ(report.rows, 5u);
  EXPECT_EQ(report.empty, 1u);
  EXPECT_EQ(report.counts.unknown, 1u) << "the sharp s is no letter of the vocabulary";
  EXPECT_EQ(report.counts.cut_texts, 0u);
  const Npy npy = result();
  const std::size_t width = npy.values.size() / 5;
  EXPECT_EQ(npy.shape, "(5, " + std::to_string(width) + ")");
  EXPECT_TRUE(std::equal(npy.values.begin(), npy.values.begin() + static_cast<std::ptrdiff_t>(width),
                         npy.values.begin() + static_cast<std::ptrdiff_t>(3 * width)));
  EXPECT_NE(report.signature.find("|pool:mean|"), std::string::npos) << report.signature;
}

TEST_F(EmbedTexts, TellsTheSameFromTheCache) {
  const EmbedReport first = run();
  const std::string bytes = content_of(request_.output);
  EXPECT_EQ(first.hits, 0u);
  const EmbedReport second = run();
  EXPECT_EQ(second.hits, 5u);
  EXPECT_EQ(second.counts.unknown, first.counts.unknown);
  EXPECT_EQ(second.empty, first.empty);
  EXPECT_EQ(content_of(request_.output), bytes);
  request_.encoder.cache = "none";
  EXPECT_EQ(run().hits, 0u);
  EXPECT_EQ(content_of(request_.output), bytes);
}

TEST_F(EmbedTexts, EncodesAgainWhenAnythingChanges) {
  run();
  const std::vector<EmbedRequest> variants = [&] {
    std::vector<EmbedRequest> list(6, request_);
    list[0].layer = 1;
    list[1].pool = "cls";
    list[2].normalize = true;
    list[3].encoder.max_length = 4;
    list[4].encoder.windows = true;
    list[5].layer = std::nullopt;
    return list;
  }();
  for (std::size_t index = 0; index < variants.size(); ++index) {
    EXPECT_EQ(embed_texts(variants[index]).hits, 0u) << "variant " << index;
    EXPECT_EQ(embed_texts(variants[index]).hits, 5u) << "variant " << index;
  }
  folder_.write("model/vocab.txt", content_of(folder_.file("model/vocab.txt")) + "new\n");
  EXPECT_EQ(run().hits, 0u) << "another tokenizer";
}

TEST_F(EmbedTexts, CountsTruncatedLinesAlsoFromTheCache) {
  request_.encoder.max_length = 4;
  EXPECT_EQ(run().counts.cut_texts, 4u);
  EXPECT_EQ(run().counts.cut_texts, 4u);
}

TEST_F(EmbedTexts, WritesARowPerTokenAndTheirTable) {
  request_.pool = "none";
  for (int round = 0; round < 2; ++round) {  // the second one from the cache
    const EmbedReport report = run();
    EXPECT_EQ(report.rows, 5u + 2u + 5u + 5u + 5u);
    EXPECT_EQ(result().values.size() % report.rows, 0u);
    const std::string table = content_of(folder_.file("out.tokens.tsv"));
    EXPECT_TRUE(
        table.starts_with("row\tsegment\tid\tpiece\tkind\n0\t1\t2\t[CLS]\tspecial\n1\t1\t5\ta\tword\n"
                          "2\t1\t8\t##b\tpart\n3\t1\t9\tc\tword\n"));
    EXPECT_NE(table.find("\n5\t2\t2\t[CLS]\tspecial\n6\t2\t3\t[SEP]\tspecial\n7\t3\t2\t[CLS]\tspecial\n"),
              std::string::npos);
    EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), static_cast<std::ptrdiff_t>(report.rows) + 1);
  }
}

TEST_F(EmbedTexts, WritesAllLayersAsAThirdDimension) {
  request_.pool = "max";
  run();
  const Npy last = result();
  request_.layer = std::nullopt;
  run();
  const Npy all = result();
  const std::size_t width = last.values.size() / 5;
  const std::size_t layers = all.values.size() / 5 / width;
  EXPECT_EQ(all.shape, "(5, " + std::to_string(layers) + ", " + std::to_string(width) + ")");
  for (std::size_t row = 0; row < 5; ++row) {
    for (std::size_t column = 0; column < width; ++column) {
      EXPECT_EQ(all.values[(row * layers + layers - 1) * width + column], last.values[row * width + column]);
    }
  }
}

TEST_F(EmbedTexts, LeavesAnOlderFileWhereItFails) {
  folder_.write("out.npy", "older");
  request_.input = folder_.write("bad.txt", "fine\n\xff\n");
  EXPECT_ERROR(run(), ErrorCode::invalid_input, "bad.txt:2: invalid UTF-8");
  EXPECT_EQ(content_of(request_.output), "older");
  request_.replace_invalid = true;
  EXPECT_EQ(run().replaced, 1u);
}

TEST_F(EmbedTexts, SaysWhatIsWrong) {
  const auto with = [&](auto change) {
    EmbedRequest request = request_;
    change(request);
    return request;
  };
  EXPECT_ERROR(embed_texts(with([](auto& r) { r.layer = 99; })), ErrorCode::usage,
               "layer 99: the model has layers 0 to");
  EXPECT_ERROR(embed_texts(with([](auto& r) { r.pool = "maen"; })), ErrorCode::usage, "did you mean 'mean'?");
  EXPECT_ERROR(embed_texts(with([](auto& r) { r.encoder.precision = "f16"; })), ErrorCode::usage,
               "unknown precision 'f16'");
  EXPECT_ERROR(embed_texts(with([](auto& r) { r.encoder.max_length = 100000; })), ErrorCode::usage,
               "max-length 100000");
  EXPECT_ERROR(embed_texts(with([](auto& r) { r.output = "/dev/null"; })), ErrorCode::usage,
               "not an ordinary file");
  EXPECT_ERROR(embed_texts(with([&](auto& r) { r.input = folder_.file("none.txt"); })), ErrorCode::io,
               "none.txt");
}

TEST_F(EmbedTexts, StopsOnRequest) {
  std::atomic<bool> cancel{true};
  EXPECT_ERROR(embed_texts(request_, {}, nullptr, &cancel), ErrorCode::cancelled, "stopped");
  EXPECT_FALSE(fs::exists(request_.output));
}

TEST_F(EmbedTexts, TokenIdsNeedNoWeights) {
  fs::remove(folder_.file("model/model.safetensors"));
  std::string text;
  const EmbedReport report = tokenize_texts(request_, [&](std::span<const std::int32_t> ids) {
    for (const std::int32_t id : ids) text += std::to_string(id) + " ";
    text += "\n";
  });
  EXPECT_TRUE(text.starts_with("2 5 8 9 3 \n2 3 \n2 51 54 56 3 \n2 5 8 9 3 \n2 1 ")) << text;
  EXPECT_EQ(report.segments, 5u);
  EXPECT_EQ(report.counts.unknown, 1u);
}

}  // namespace
}  // namespace markeval
