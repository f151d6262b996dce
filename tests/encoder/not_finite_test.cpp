// States that hold NaN or infinity never leave the encoder.
#include "encoder/not_finite.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "encoder/model_folder.hpp"
#include "encoder/sequence_encoder.hpp"
#include "support/temp_folder.hpp"

namespace markeval::encoder {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();

/// A copy of the small BERT, to be damaged; token 7 stands in the third and the fifth sequence.
class NotFiniteStates : public testing::Test {
 protected:
  NotFiniteStates() {
    for (const char* file : {"config.json", "model.safetensors"})
      std::filesystem::copy(model_folder("bert") + "/" + file, folder_.file(file));
  }

  void damage(std::string_view tensor, std::size_t index, float value) {
    set_weight(folder_.file("model.safetensors"), tensor, index, value);
  }
  void damage_token(std::int32_t id, float value) {
    damage("embeddings.word_embeddings.weight", static_cast<std::size_t>(id) * 32 + 5, value);
  }

  /// What is told of the first text that is not finite; empty where all are.
  std::string encode(EncodeOptions options, compute::Precision precision = compute::Precision::f32) {
    Encoder encoder(folder_.path(), *device_, precision);
    std::size_t next = 0;
    delivered_ = 0;
    options.text_of = [&](std::size_t sequence) { return std::string_view(texts_[sequence]); };
    try {
      encode_sequences(
          encoder,
          [&](std::vector<std::int32_t>& ids) {
            if (next == sequences_.size()) return false;
            ids = sequences_[next++];
            return true;
          },
          options, [&](std::size_t, std::span<const MatrixView<const float>>) { ++delivered_; },
          RunContext{pool_});
    } catch (const NotFinite& error) {
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
  std::vector<std::vector<std::int32_t>> sequences_{
      {2, 9, 3}, {2, 8, 8, 3}, {2, 7, 3}, {2, 3}, {2, 9, 7, 9, 3}};
  std::vector<std::string> texts_{"nine", "eights", "seven", "none", "nines"};
  std::size_t delivered_ = 0;
};

TEST_F(NotFiniteStates, AreAnErrorWithTheFirstTextAndItsFirstLayer) {
  EXPECT_EQ(encode({.layers = {0, 1, 2}, .pooling = {}}), "");
  EXPECT_EQ(delivered_, 5u);
  for (const float value : {kNan, kInfinity, -kInfinity}) {
    damage_token(7, value);
    EXPECT_EQ(encode({.layers = {0, 1, 2}, .pooling = {}}), told("seven", 0));
    EXPECT_EQ(delivered_, 0u) << "no text of the window comes out";
    EXPECT_EQ(encode({.layers = {2}, .pooling = {}}), told("seven", 2));
  }
}

TEST_F(NotFiniteStates, ThatNoTextHasHarmNobody) {
  damage_token(50, kNan);
  EXPECT_EQ(encode({.layers = {0, 1, 2}, .pooling = {}}), "");
  EXPECT_EQ(delivered_, 5u);
}

// The maximum of numbers and NaN may be a number, and the first row of layer 0 knows nothing of the others.
TEST_F(NotFiniteStates, AreNotHiddenByPoolingOrUnitLength) {
  for (const float value : {kNan, -kInfinity}) {
    damage_token(7, value);
    for (const auto pooling : {compute::Pooling::mean, compute::Pooling::cls, compute::Pooling::max}) {
      for (const std::size_t layer : {0u, 2u}) {
        for (const bool normalize : {false, true}) {
          EXPECT_EQ(encode({.layers = {layer}, .pooling = pooling, .normalize = normalize}),
                    told("seven", layer));
        }
      }
    }
    EXPECT_EQ(encode({.layers = {2}, .pooling = {}, .normalize = true}), told("seven", 2));
  }
}

TEST_F(NotFiniteStates, OfTokensThatNobodyNeedsHarmNobody) {
  damage_token(7, kNan);
  const std::vector<std::vector<std::uint8_t>> masks{
      {1, 1, 1}, {1, 1, 1, 1}, {1, 0, 1}, {1, 1}, {1, 1, 0, 1, 1}};
  EncodeOptions options{.layers = {0}, .pooling = {}};
  options.needed = [&](std::size_t sequence) { return std::span<const std::uint8_t>(masks[sequence]); };
  EXPECT_EQ(encode(options), "");
  const std::vector<std::uint8_t> last_token{0, 0, 1, 0, 0};
  options.needed = [&](std::size_t sequence) {
    return sequence == 4 ? std::span<const std::uint8_t>(last_token)
                         : std::span<const std::uint8_t>(masks[sequence]);
  };
  EXPECT_EQ(encode(options), told("nines", 0));
}

// Softmax and activations may make a number of NaN. So the weights are looked at, besides the states.
TEST_F(NotFiniteStates, AreNeverMadeOfDamagedWeights) {
  const SafetensorsFile whole(model_folder("bert") + "/model.safetensors");
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
        EXPECT_EQ(encode({.layers = {2}, .pooling = {}}), told("nine", 2)) << name;
      } else {
        EXPECT_ERROR(
            Encoder(folder_.path(), *device_), ErrorCode::invalid_input,
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
  EXPECT_NE(encode({.layers = {0, 1, 2}, .pooling = {}}), "");
}

TEST_F(NotFiniteStates, ComeOfOverflowInBf16) {
  if (!device_->supports(compute::Precision::bf16)) GTEST_SKIP() << "no bf16 products on this machine";
  // The largest float32 is beyond the largest bf16.
  damage("encoder.layer.1.output.dense.weight", 11, kLargest);
  EXPECT_NE(encode({.layers = {2}, .pooling = {}}, compute::Precision::bf16), "");
}

}  // namespace
}  // namespace markeval::encoder
