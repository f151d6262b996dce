// The small BERT of tests/encoder with a vocabulary of letters: "ab" is "a" and "##b".
#include "embed/text_samples.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "base/error.hpp"
#include "support/temp_folder.hpp"

namespace markeval::embed {
namespace {

class TextSamplesOfSmallBert : public testing::Test {
 protected:
  TextSamplesOfSmallBert() {
    for (const char* file : {"config.json", "model.safetensors"}) {
      std::filesystem::copy(std::string(MARKEVAL_TEST_MODELS) + "/bert/" + file, folder_.file(file));
    }
    std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n.\n,\n";
    for (char letter = 'a'; letter <= 'z'; ++letter)
      vocabulary += std::string(1, letter) + "\n##" + letter + "\n";
    folder_.write("vocab.txt", vocabulary);
  }
  TextSamples encode(const SampleRequest& request, const std::vector<std::string_view>& texts) {
    cache::VectorCache cache("none");
    SampleEncoder encoder(folder_.path(), encoders_, cache, request, context_);
    return encoder.encode(texts, "texts");
  }
  /// All rows of one text and layer, special tokens included.
  std::vector<float> all_rows(std::string_view text, std::size_t layer) {
    std::vector<float> values;
    cache::VectorCache cache("none");
    VectorRequest request;
    request.pool = VectorRequest::Pool::none;
    request.layers = one_layer(static_cast<std::ptrdiff_t>(layer));
    CachedTextEncoder encoder(folder_.path(), encoders_, cache, request, context_);
    encoder.encode(std::vector{text}, [&](std::size_t, MatrixView<const float> rows, const TextNote&) {
      values.assign(rows.data(), rows.data() + rows.rows() * rows.columns());
    });
    return values;
  }

  TempFolder folder_;
  ThreadPool pool_{2};
  RunContext context_{pool_};
  std::unique_ptr<compute::Device> device_ = compute::make_cpu_device(pool_);
  EncoderStore encoders_{*device_};
};

SampleRequest words(LayerChoice layers) {
  SampleRequest request;
  request.unit = SampleUnit::word;
  request.layers = std::move(layers);
  return request;
}

TEST_F(TextSamplesOfSmallBert, SentencesHaveARowEach) {
  const TextSamples samples = encode({}, {"ab c", "", "xyz", "ab c"});
  EXPECT_EQ(samples.rows(), 4u);
  EXPECT_EQ(samples.columns, 32u);
  EXPECT_EQ(samples.texts(), 4u);
  EXPECT_EQ(samples.counts.texts, 4u);
  EXPECT_EQ(std::memcmp(samples.view(0).data(), samples.view(3).data(), 32 * sizeof(float)), 0);
  EXPECT_NE(std::memcmp(samples.view(0).data(), samples.view(2).data(), 32 * sizeof(float)), 0);
}

// [CLS] a ##b , c . [SEP]: rows of "a" and "c", the layers of a word together.
TEST_F(TextSamplesOfSmallBert, WordsHaveARowPerLayer) {
  const std::string_view text = "ab, c.";
  const TextSamples samples = encode(words([](std::size_t) {
                                       return std::vector<std::size_t>{1, 2};
                                     }),
                                     {"", text, ".,.", "z"});
  EXPECT_EQ(samples.starts, (std::vector<std::size_t>{0, 0, 4, 4, 6}));
  EXPECT_EQ(samples.layers, 2u);
  const std::vector<float> first = all_rows(text, 1), second = all_rows(text, 2);
  const auto expect = [&](std::size_t row, const std::vector<float>& layer, std::size_t token) {
    for (std::size_t column = 0; column < 32; ++column) {
      EXPECT_EQ(samples.view()(row, column), layer[token * 32 + column]);
    }
  };
  expect(0, first, 1);
  expect(1, second, 1);
  expect(2, first, 4);
  expect(3, second, 4);
  EXPECT_EQ(samples.text_of(0), 1u);
  EXPECT_EQ(samples.text_of(3), 1u);
  EXPECT_EQ(samples.text_of(4), 3u);
  ASSERT_EQ(samples.words.size(), 3u);
  EXPECT_EQ(text.substr(samples.words[1].begin, samples.words[1].end - samples.words[1].begin), "c");
}

TEST_F(TextSamplesOfSmallBert, CountsUnknownAndTruncated) {
  SampleRequest request = words(one_layer(-1));
  request.max_length = 4;
  const TextSamples samples = encode(request, {"a b c d", "\u00df a"});
  EXPECT_EQ(samples.counts.truncated, 1u);
  EXPECT_EQ(samples.counts.unknown, 1u);
  EXPECT_EQ(samples.starts, (std::vector<std::size_t>{0, 2, 4}));
  request.long_text = LongText::window;
  EXPECT_EQ(encode(request, {"a b c d"}).rows(), 4u);
}

TEST_F(TextSamplesOfSmallBert, ComeFromTheCacheToTheBit) {
  TempFolder place;
  const SampleRequest request = words(one_layer(std::nullopt));
  const std::vector<std::string_view> texts{"ab c", "hello there", ""};
  std::vector<std::vector<float>> found;
  for (int run = 0; run < 2; ++run) {
    cache::VectorCache cache(place.file("cache"));
    SampleEncoder encoder(folder_.path(), encoders_, cache, request, context_);
    const TextSamples samples = encoder.encode(texts, "texts");
    found.emplace_back(samples.values.begin(), samples.values.end());
    EXPECT_EQ(cache.counts().hits, run == 0 ? 0u : 3u);
  }
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[0].size(), 4u * 3 * 32) << "ab, c, hello, there in layers 0, 1 and 2";
}

}  // namespace
}  // namespace markeval::embed
