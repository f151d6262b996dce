// The small BERT of tests/encoder with a vocabulary of letters, and where it is there the real
// all-MiniLM-L6-v2.
#include "embed/text_encoder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/error.hpp"
#include "support/temp_folder.hpp"

namespace markeval::embed {
namespace {

struct Encoded {
  std::vector<std::vector<float>> rows;  // of a text, layers one after the other
  std::vector<std::vector<std::int32_t>> ids;
  TextCounts counts;
};

Encoded encode(TextEncoder& encoder, const std::vector<std::string>& texts, const TextRequest& request,
               ThreadPool& pool) {
  Encoded result;
  std::size_t next = 0;
  result.counts = encoder.encode(
      [&](std::string_view& text) {
        if (next == texts.size()) return false;
        text = texts[next++];
        return true;
      },
      request,
      [&](const EncodedText& text) {
        EXPECT_EQ(text.index, result.rows.size());
        result.ids.push_back(text.tokens.ids);
        result.rows.emplace_back();
        for (const MatrixView<const float>& layer : text.layers) {
          EXPECT_EQ(layer.rows(), request.pooling ? 1 : text.tokens.ids.size());
          result.rows.back().insert(result.rows.back().end(), layer.data(),
                                    layer.data() + layer.rows() * layer.columns());
        }
      },
      RunContext{pool});
  return result;
}

class TextEncoderOfSmallBert : public testing::Test {
 protected:
  TextEncoderOfSmallBert() {
    for (const char* file : {"config.json", "model.safetensors"}) {
      std::filesystem::copy(std::string(MARKEVAL_TEST_MODELS) + "/bert/" + file, folder_.file(file));
    }
    std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
    for (char letter = 'a'; letter <= 'z'; ++letter)
      vocabulary += std::string(1, letter) + "\n##" + letter + "\n";
    folder_.write("vocab.txt", vocabulary);
  }
  TextEncoder load() { return TextEncoder(folder_.path(), *device_); }

  TempFolder folder_;
  ThreadPool pool_{2};
  std::unique_ptr<compute::Device> device_ = compute::make_cpu_device(pool_);
};

const std::vector<std::string> kTexts{"ab c", "", "hello there", "x", "the quick brown fox", "ab c"};

TEST_F(TextEncoderOfSmallBert, GivesVectorsInTheOrderOfTheTexts) {
  TextEncoder encoder = load();
  const Encoded all = encode(encoder, kTexts, encoder.sentence_request(), pool_);
  ASSERT_EQ(all.rows.size(), kTexts.size());
  EXPECT_EQ(all.ids[0], (std::vector<std::int32_t>{2, 5, 8, 9, 3}));
  EXPECT_EQ(all.rows[0], all.rows[5]);
  for (std::size_t text = 0; text < kTexts.size(); ++text) {
    EXPECT_EQ(encode(encoder, {kTexts[text]}, encoder.sentence_request(), pool_).rows[0], all.rows[text]);
  }
}

TEST_F(TextEncoderOfSmallBert, GivesTheMeanOfTheTokenRows) {
  TextEncoder encoder = load();
  const Encoded pooled = encode(encoder, kTexts, encoder.sentence_request(), pool_);
  const Encoded tokens = encode(encoder, kTexts, encoder.token_request({0, 2}), pool_);
  for (std::size_t text = 0; text < kTexts.size(); ++text) {
    const std::size_t count = tokens.ids[text].size();
    for (std::size_t column = 0; column < 32; ++column) {
      double sum = 0;
      for (std::size_t row = 0; row < count; ++row) sum += tokens.rows[text][(count + row) * 32 + column];
      EXPECT_NEAR(pooled.rows[text][column], sum / static_cast<double>(count), 1e-6);
    }
  }
}

TEST_F(TextEncoderOfSmallBert, CountsWhatHappenedToTheTexts) {
  TextEncoder encoder = load();
  TextRequest request = encoder.sentence_request();
  request.max_length = 6;
  const TextCounts counts = encode(encoder, {"abcdefg", "", "a ? b", "abcd"}, request, pool_).counts;
  EXPECT_EQ(counts.texts, 4u);
  EXPECT_EQ(counts.empty, 1u);
  EXPECT_EQ(counts.truncated, 1u);
  EXPECT_EQ(counts.cut_tokens, 3u);
  EXPECT_EQ(counts.unknown, 1u);
  EXPECT_EQ(counts.tokens, 6u + 2u + 5u + 6u);
  EXPECT_EQ(counts.windowed, 0u);
}

TEST_F(TextEncoderOfSmallBert, EncodesLongTextsInWindows) {
  TextEncoder encoder = load();
  TextRequest request = encoder.token_request({2});
  request.max_length = 10;  // windows of 8 tokens, 4 apart
  const std::vector<std::string> texts{"short", "the quick brown fox jumps over", "tiny"};
  const Encoded cut = encode(encoder, texts, request, pool_);
  request.long_text = LongText::window;
  const Encoded whole = encode(encoder, texts, request, pool_);
  EXPECT_EQ(cut.counts.truncated, 1u);
  EXPECT_EQ(whole.counts.truncated, 0u);
  EXPECT_EQ(whole.counts.windowed, 1u);
  EXPECT_EQ(whole.rows[0], cut.rows[0]);
  EXPECT_EQ(whole.rows[2], cut.rows[2]);
  EXPECT_EQ(whole.ids[1].size(), 2u + 25u);
  // The first four tokens are in the first window alone, which is the text as it was cut.
  const auto begin = whole.rows[1].begin() + 32;
  EXPECT_TRUE(std::equal(begin, begin + 4 * 32, cut.rows[1].begin() + 32));
  EXPECT_FALSE(std::equal(begin + 4 * 32, begin + 5 * 32, cut.rows[1].begin() + 5 * 32));
  request.pooling = compute::Pooling::mean;
  request.normalize = true;
  const Encoded pooled = encode(encoder, texts, request, pool_);
  double squares = 0;
  for (const float value : pooled.rows[1]) squares += static_cast<double>(value) * value;
  EXPECT_NEAR(squares, 1, 1e-6);
}

TEST_F(TextEncoderOfSmallBert, GivesTheSameBitsForAnyNumberOfThreads) {
  TextEncoder encoder = load();
  std::vector<std::string> texts;
  for (int number = 0; number < 300; ++number)
    texts.push_back(std::string(static_cast<std::size_t>(number % 37), 'q'));
  const Encoded two = encode(encoder, texts, encoder.sentence_request(), pool_);
  ThreadPool alone(1);
  const auto device = compute::make_cpu_device(alone);
  TextEncoder other(folder_.path(), *device);
  EXPECT_EQ(encode(other, texts, other.sentence_request(), alone).rows, two.rows);
}

TEST_F(TextEncoderOfSmallBert, LayersAndLengthsTheModelHasNotAreNamed) {
  TextEncoder encoder = load();
  EXPECT_EQ(encoder.layer(-1), 2u);
  EXPECT_EQ(encoder.layer(0), 0u);
  EXPECT_EQ(encoder.layer(-3), 0u);
  EXPECT_ERROR(encoder.layer(3), ErrorCode::usage, "layer 3: the model has layers 0 to 2");
  EXPECT_ERROR(encoder.layer(-4), ErrorCode::usage, "layer -4");
  EXPECT_EQ(encoder.checked_length(40), 40u);
  EXPECT_ERROR(encoder.checked_length(41), ErrorCode::usage, "max-length 41: the model takes 3 to 40 tokens");
  EXPECT_ERROR(encoder.checked_length(2), ErrorCode::usage, "max-length 2");
}

TEST_F(TextEncoderOfSmallBert, TakesTheLimitsOfTheFolder) {
  EXPECT_EQ(load().sentence_request().max_length, 40u);
  folder_.write("tokenizer_config.json", R"({"model_max_length": 30})");
  folder_.write("sentence_bert_config.json", R"({"max_seq_length": 20})");
  EXPECT_EQ(load().sentence_request().max_length, 20u);
  EXPECT_EQ(load().token_request({2}).max_length, 30u);
}

TEST_F(TextEncoderOfSmallBert, TokenizerThatDoesNotFitIsRefused) {
  std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
  for (int number = 0; number < 60; ++number)
    vocabulary.append("w").append(std::to_string(number)).append("\n");
  folder_.write("vocab.txt", vocabulary);
  EXPECT_ERROR(load(), ErrorCode::invalid_input,
               "the tokenizer does not fit the model: ids up to 64, the model's vocabulary has 64");
}

TEST(TextEncoderOfMiniLm, VectorsAreThoseOfSentenceTransformers) {
  const char* models = std::getenv("MARKEVAL_MODELS");
  const std::string folder =
      (models != nullptr ? std::string(models) : MARKEVAL_PROJECT_FOLDER "/models") + "/all-MiniLM-L6-v2";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
  ThreadPool pool;
  const auto device = compute::make_cpu_device(pool);
  TextEncoder encoder(folder, *device);
  const TextRequest request = encoder.sentence_request();
  EXPECT_EQ(request.max_length, 256u);
  EXPECT_TRUE(request.normalize);
  EXPECT_EQ(encoder.token_request({6}).max_length, 512u);
  const Encoded found =
      encode(encoder,
             {"A small dog runs across the wet field.", "A puppy is running over damp grass.",
              "The central bank raised its rates again.", ""},
             request, pool);
  // sentence-transformers 5.7.0: the first five numbers of each vector.
  const std::vector<std::vector<float>> expected{
      {0.120179832f, 0.0232347306f, 0.0700659752f, 0.00587506965f, 0.120979197f},
      {-0.0312918462f, 0.0573183559f, 0.108480729f, 0.0832967982f, -0.0261048507f},
      {0.0277853608f, -0.0597327016f, -0.0466861762f, 0.0354065821f, 0.0440524779f},
      {-0.118838385f, 0.0482986197f, -0.0025481286f, -0.0110111814f, 0.0519507192f}};
  for (std::size_t text = 0; text < expected.size(); ++text) {
    for (std::size_t column = 0; column < 5; ++column)
      EXPECT_NEAR(found.rows[text][column], expected[text][column], 1e-5);
  }
}

}  // namespace
}  // namespace markeval::embed
