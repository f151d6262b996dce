// What is ModernBERT's own: spellings of its config.json, its table of rotary positions, the same bits on
// every instruction set. That its states are those of transformers is in encoder_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "encoder/encoder.hpp"
#include "encoder/model_folder.hpp"
#include "encoder/rotary.hpp"
#include "support/temp_folder.hpp"

namespace markeval::encoder {
namespace {

using Json = nlohmann::json;

/// FNV-1a over the bytes of the numbers.
std::uint64_t digest(std::span<const float> values) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const std::byte byte : std::as_bytes(values))
    hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3u;
  return hash;
}

token::PackedBatch some_texts() {
  token::PackedBatch batch;
  for (const std::size_t length : {3u, 41u, 78u}) {
    for (std::size_t place = 0; place < length; ++place)
      batch.ids.push_back(static_cast<std::int32_t>((place * 7 + length) % 64));
    batch.starts.push_back(batch.ids.size());
  }
  return batch;
}

class ModernBertFolder : public ::testing::Test {
 protected:
  ModernBertFolder() {
    std::filesystem::copy(model_folder("modernbert") + "/model.safetensors",
                          folder_.file("model.safetensors"));
    std::ifstream file(model_folder("modernbert") + "/config.json");
    config_ = Json::parse(file);
  }

  std::vector<float> states(const std::string& folder,
                            compute::Precision precision = compute::Precision::f32) {
    Encoder encoder(folder, *device_, precision);
    std::vector<float> result;
    const std::vector<std::size_t> last{encoder.dimensions().layers};
    encoder.run(some_texts(), last,
                [&](std::size_t, const compute::Sequences&, compute::DeviceMatrix<const float> rows) {
                  result = compute::download_matrix(*device_, rows);
                });
    return result;
  }
  std::vector<float> states_with_config() {
    folder_.write("config.json", config_.dump());
    return states(folder_.path());
  }

  TempFolder folder_;
  Json config_;
  ThreadPool pool_{2};
  std::unique_ptr<compute::Device> device_ = compute::make_cpu_device(pool_);
};

TEST_F(ModernBertFolder, ConfigOfTransformers5MeansTheSame) {
  for (const char* const key : {"global_attn_every_n_layers", "global_rope_theta", "local_rope_theta"})
    config_.erase(key);
  config_["layer_types"] = {"full_attention", "sliding_attention", "sliding_attention", "full_attention",
                            "sliding_attention"};
  config_["rope_parameters"] = {{"full_attention", {{"rope_type", "default"}, {"rope_theta", 160000.0}}},
                                {"sliding_attention", {{"rope_type", "default"}, {"rope_theta", 10000.0}}}};
  EXPECT_EQ(states_with_config(), states(model_folder("modernbert")));
}

TEST_F(ModernBertFolder, SettingsThatAreNotThereAreThoseOfTransformers) {
  for (const char* const key : {"global_attn_every_n_layers", "global_rope_theta", "local_rope_theta",
                                "norm_eps", "norm_bias", "mlp_bias", "attention_bias", "hidden_activation"})
    config_.erase(key);
  EXPECT_EQ(states_with_config(), states(model_folder("modernbert")));
}

TEST_F(ModernBertFolder, EverySettingCounts) {
  const std::vector<float> usual = states(model_folder("modernbert"));
  for (const Json& change : {Json{{"global_attn_every_n_layers", 2}}, Json{{"local_attention", 10}},
                             Json{{"global_rope_theta", 10000.0}}, Json{{"local_rope_theta", nullptr}},
                             Json{{"norm_eps", 1e-3}}, Json{{"hidden_activation", "silu"}}}) {
    const Json before = config_;
    config_.update(change);
    EXPECT_NE(states_with_config(), usual) << change;
    config_ = before;
  }
  EXPECT_EQ(states_with_config(), usual);
}

TEST_F(ModernBertFolder, WrongConfigIsNamed) {
  const auto expect = [&](const Json& change, const char* message) {
    const Json before = config_;
    config_.update(change);
    EXPECT_ERROR(states_with_config(), ErrorCode::invalid_input, message);
    config_ = before;
  };
  expect({{"hidden_size", 28}},
         "config.json: hidden_size 28 / num_attention_heads 4 is 7, expected an even number");
  expect({{"layer_types", {"full_attention"}}},
         "config.json: layer_types has 1 entries, expected 5 (num_hidden_layers)");
  expect({{"layer_types", {"full_attention", "chunked"}}},
         "config.json: layer_types names 'chunked', expected full_attention or sliding_attention");
  expect({{"rope_scaling", {{"type", "yarn"}}}},
         "config.json: rope_scaling: rope_type is 'yarn', markeval has 'default' only");
  expect({{"rope_parameters", {{"full_attention", {{"rope_type", "linear"}}}}}},
         "config.json: rope_parameters: full_attention: rope_type is 'linear', markeval has 'default' only");
  expect({{"rope_parameters", 7}}, "config.json: 'rope_parameters' is 7, expected an object");
  expect({{"global_rope_theta", 0.5}}, "config.json: global_rope_theta is 0.5, expected a number >= 1");
  expect({{"max_position_embeddings", 200000}},
         "config.json: max_position_embeddings is 200000, expected at most 131072");
  expect({{"norm_eps", -1.0}}, "config.json: norm_eps must be a number >= 0");
  expect({{"local_attention", 0}}, "config.json: 'local_attention' is 0, expected a whole number above 0");
  expect({{"mlp_bias", true}}, "no tensor 'model.layers.0.mlp.Wi.bias', expected shape [48]");
  expect({{"intermediate_size", 23}},
         "tensor 'model.layers.0.mlp.Wi.weight' has shape [48, 32], expected [46, 32]");
}

TEST_F(ModernBertFolder, WeightsOfAnotherModelAreNamed) {
  std::filesystem::copy(model_folder("bert") + "/model.safetensors", folder_.file("model.safetensors"),
                        std::filesystem::copy_options::overwrite_existing);
  EXPECT_ERROR(states_with_config(), ErrorCode::invalid_input,
               "no tensor 'embeddings.tok_embeddings.weight', with or without a prefix");
}

TEST_F(ModernBertFolder, Bf16IsCloseToFloat) {
  if (!device_->supports(compute::Precision::bf16)) GTEST_SKIP() << "no bf16 products here";
  const std::vector<float> exact = states(model_folder("modernbert")),
                           rounded = states(model_folder("modernbert"), compute::Precision::bf16);
  double dot = 0, mine = 0, theirs = 0;
  for (std::size_t index = 0; index < exact.size(); ++index) {
    dot += static_cast<double>(exact[index]) * rounded[index];
    mine += static_cast<double>(exact[index]) * exact[index];
    theirs += static_cast<double>(rounded[index]) * rounded[index];
  }
  EXPECT_GT(dot / std::sqrt(mine * theirs), 0.999);
}

TEST_F(ModernBertFolder, HasTheSameBitsOnEveryInstructionSet) {
  for (const Isa isa : supported_isas()) {
    device_ = compute::make_cpu_device(pool_, isa);
    EXPECT_EQ(digest(states(model_folder("modernbert"))), 0x348f6dc6cab74f52u) << name(isa);
    EXPECT_EQ(digest(states(model_folder("modernbert_biases"))), 0xeaedf115189ef110u) << name(isa);
  }
}

TEST(RotaryTable, HoldsCosineAndSineOfFloatAngles) {
  ThreadPool pool(1);
  const auto device = compute::make_cpu_device(pool);
  const std::size_t positions = 9000, width = 64;
  const RotaryTable table = make_rotary_table(*device, positions, width, 160000);
  const std::vector<float> cosines = compute::download_matrix(*device, table.cosines.view()),
                           sines = compute::download_matrix(*device, table.sines.view());
  for (std::size_t position = 0; position < positions; position += 13) {
    for (std::size_t point = 0; point < width / 2; ++point) {
      const float power = static_cast<float>(std::pow(160000.0, static_cast<double>(point) / 32));
      const double angle = 1 / power * static_cast<float>(position);
      ASSERT_NEAR(cosines[position * width / 2 + point], std::cos(angle), 6e-8) << position << " " << point;
      ASSERT_NEAR(sines[position * width / 2 + point], std::sin(angle), 6e-8) << position << " " << point;
    }
  }
  EXPECT_EQ(digest(cosines), 0xa119c3cf8da32618u);
  EXPECT_EQ(digest(sines), 0xfc3ea06a2cb6cae3u);
}

}  // namespace
}  // namespace markeval::encoder
