// States that hold NaN or infinity never leave the encoder.
#include "encoder/text_error.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "embed/text_encoder.hpp"
#include "encoder/model_folder.hpp"
#include "support/temp_folder.hpp"

namespace markeval::embed {
namespace {

using encoder::model_folder;
using encoder::set_weight;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();

/// A copy of the small BERT with a vocabulary of letters, to be damaged.
class NotFiniteStates : public ::testing::Test {
 protected:
  NotFiniteStates() {
    for (const char* file : {"config.json", "model.safetensors"})
      std::filesystem::copy(model_folder("bert") + "/" + file, folder_.file(file));
    folder_.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\nc\n");
    options_.model = folder_.path();
  }

  void damage(std::string_view tensor, std::size_t index, float value) {
    set_weight(folder_.file("model.safetensors"), tensor, index, value);
  }
  void damage_token(char letter, float value) {
    damage("embeddings.word_embeddings.weight", static_cast<std::size_t>(letter - 'a' + 5) * 32 + 5, value);
  }

  /// What is told of the first text that is not finite; empty where all are.
  std::string encode(const EncodeRequest& request, const TokenNeed& need = {}) {
    ModelPool models(*device_);
    cache::VectorCache no_cache("none");
    TextEncoder encoder(models, options_, no_cache);
    try {
      encoder.encode(texts_, request, need, RunContext{pool_});
    } catch (const encoder::TextError& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_input);
      return error.at(error.text()).what();
    }
    return "";
  }
  static std::string told(const std::string& text, std::size_t layer) {
    return text + ": the model gives NaN or infinity for this text (layer " + std::to_string(layer) +
           "): its weights are damaged, or its numbers too large for the precision";
  }

  TempFolder folder_;
  ThreadPool pool_{2};
  std::unique_ptr<compute::Device> device_ = compute::make_cpu_device(pool_);
  EncoderOptions options_;
  std::vector<std::string_view> texts_{"c", "a a", "b", "", "c b c"};
};

TEST_F(NotFiniteStates, AreAnErrorWithTheFirstTextAndItsFirstLayer) {
  EXPECT_EQ(encode({{0, 1, 2}, {}}), "");
  for (const float value : {kNan, kInfinity, -kInfinity}) {
    damage_token('b', value);
    EXPECT_EQ(encode({{0, 1, 2}, {}}), told("b", 0));
    EXPECT_EQ(encode({{2}, {}}), told("b", 2));
  }
}

TEST_F(NotFiniteStates, ThatNoTextHasHarmNobody) {
  damage("embeddings.word_embeddings.weight", 50 * 32 + 5, kNan);
  EXPECT_EQ(encode({{0, 1, 2}, {}}), "");
}

// The maximum of numbers and NaN may be a number, and the first row of layer 0 knows nothing of the others.
TEST_F(NotFiniteStates, AreNotHiddenByPoolingOrUnitLength) {
  for (const float value : {kNan, -kInfinity}) {
    damage_token('b', value);
    for (const auto pooling : {compute::Pooling::mean, compute::Pooling::cls, compute::Pooling::max}) {
      for (const std::size_t layer : {0u, 2u}) {
        for (const bool normalize : {false, true}) {
          EXPECT_EQ(encode({{}, {{layer, pooling, normalize}}}), told("b", layer));
        }
      }
    }
  }
}

TEST_F(NotFiniteStates, OfTokensThatNobodyNeedsHarmNobody) {
  damage_token('b', kNan);
  const auto all_but = [](std::int32_t id, std::size_t text_size) {
    return [=](const TextTokens& tokens, std::span<std::uint8_t> mask) {
      for (std::size_t token = 0; token < tokens.size(); ++token)
        mask[token] = tokens.ids[token] != id || tokens.size() == text_size ? 1 : 0;
    };
  };
  EXPECT_EQ(encode({{0}, {}}, all_but(6, 0)), "");
  EXPECT_EQ(encode({{0}, {}}, all_but(6, 5)), told("c b c", 0)) << "here alone it is needed";
}

// Softmax and activations may make a number of NaN. So the weights are looked at, besides the states.
TEST_F(NotFiniteStates, AreNeverMadeOfDamagedWeights) {
  const encoder::SafetensorsFile whole(model_folder("bert") + "/model.safetensors");
  std::size_t tried = 0;
  for (const auto& [name, tensor] : whole.tensors()) {
    if (name.starts_with("pooler.")) continue;  // nobody reads it
    for (const float value : {kNan, kInfinity}) {
      std::filesystem::copy(model_folder("bert") + "/model.safetensors", folder_.file("model.safetensors"),
                            std::filesystem::copy_options::overwrite_existing);
      const bool table =
          name == "embeddings.word_embeddings.weight" || name == "embeddings.position_embeddings.weight";
      damage(name, table ? 2 * 32 + 1 : tensor.elements() - 1, value);  // token 2, position 2
      if (table) {
        EXPECT_EQ(encode({{2}, {}}), told("c", 2)) << name;
      } else {
        EXPECT_ERROR(
            encoder::Encoder(folder_.path(), *device_), ErrorCode::invalid_input,
            folder_.path() + ": tensor '" + name + "' holds NaN or infinity: the weights are damaged");
      }
      ++tried;
    }
  }
  EXPECT_EQ(tried, 2u * (5 + 2 * 16));
}

TEST_F(NotFiniteStates, ComeOfOverflow) {
  damage("encoder.layer.0.output.LayerNorm.weight", 3, kLargest);
  damage("encoder.layer.0.output.LayerNorm.bias", 3, kLargest);
  EXPECT_NE(encode({{0, 1, 2}, {}}), "");
}

TEST_F(NotFiniteStates, ComeOfOverflowInBf16) {
  if (!device_->supports(compute::Precision::bf16)) GTEST_SKIP() << "no bf16 products on this machine";
  options_.precision = "bf16";
  // The largest float32 is beyond the largest bf16.
  damage("encoder.layer.1.output.dense.weight", 11, kLargest);
  EXPECT_NE(encode({{2}, {}}), "");
}

}  // namespace
}  // namespace markeval::embed
