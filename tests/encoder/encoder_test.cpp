// Every architecture against transformers 4.57.6 on the small random models of make_models.py.
#include "encoder/encoder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "base/error.hpp"
#include "base/random.hpp"
#include "encoder/model_folder.hpp"
#include "encoder/safetensors.hpp"
#include "support/temp_folder.hpp"

namespace markeval::encoder {
namespace {

std::vector<float> read(const SafetensorsFile& file, const std::string& name) {
  const Tensor* const tensor = file.find(name);
  if (tensor == nullptr) return {};
  std::vector<float> values(tensor->elements());
  file.read(*tensor, 0, values);
  return values;
}

struct Golden {
  explicit Golden(const std::string& model) : file(model_folder(model) + "/golden.safetensors") {
    for (const float id : read(file, "ids")) batch.ids.push_back(static_cast<std::int32_t>(id));
    for (const float length : read(file, "lengths")) {
      batch.starts.push_back(batch.starts.back() + static_cast<std::size_t>(length));
    }
    for (std::size_t layer = 0; file.find("layer_" + std::to_string(layer)) != nullptr; ++layer) {
      layers.push_back(read(file, "layer_" + std::to_string(layer)));
    }
  }
  SafetensorsFile file;
  token::PackedBatch batch;
  std::vector<std::vector<float>> layers;
};

std::vector<std::vector<float>> states(Encoder& encoder, const token::PackedBatch& batch,
                                       const std::vector<std::size_t>& layers,
                                       std::span<const std::uint8_t> wanted = {}) {
  std::vector<std::vector<float>> result;
  encoder.run(
      batch, layers,
      [&](std::size_t layer, const compute::Sequences&, compute::DeviceMatrix<const float> rows) {
        EXPECT_EQ(layer, layers[result.size()]);
        result.push_back(compute::download_matrix(encoder.device(), rows));
      },
      wanted);
  return result;
}

std::vector<std::size_t> all_layers(const Encoder& encoder) {
  std::vector<std::size_t> layers;
  for (std::size_t layer = 0; layer <= encoder.dimensions().layers; ++layer) layers.push_back(layer);
  return layers;
}

token::PackedBatch part(const token::PackedBatch& batch, std::size_t sequence) {
  const auto ids = batch.sequence(sequence);
  return {.ids = {ids.begin(), ids.end()}, .starts = {0, ids.size()}};
}

class EveryModel : public ::testing::TestWithParam<const char*> {
 protected:
  ThreadPool pool_{2};
  std::unique_ptr<compute::Device> device_ = compute::make_cpu_device(pool_);
};

TEST_P(EveryModel, GivesTheRowsWantedOfTheLastLayerTheSameBitsWithoutTheOthers) {
  const Golden golden(GetParam());
  Encoder encoder(model_folder(GetParam()), *device_);
  const std::size_t hidden = encoder.dimensions().hidden, rows = golden.batch.ids.size();
  for (std::size_t last = 0; last <= encoder.dimensions().layers; ++last) {
    std::vector<std::size_t> layers{last};
    if (last > 0) layers.insert(layers.begin(), last - 1);
    const auto whole = states(encoder, golden.batch, layers);
    std::vector<std::uint8_t> mask(rows);
    for (std::size_t row = 0; row < rows; ++row) mask[row] = row % 3 != 1;
    const auto part = states(encoder, golden.batch, layers, mask);
    EXPECT_EQ(part.front().size(), whole.front().size());
    if (last > 0) {
      EXPECT_EQ(part.front(), whole.front()) << "layers below the last have all rows";
    }
    for (std::size_t row = 0; row < rows; ++row) {
      if (mask[row] == 0) continue;
      for (std::size_t column = 0; column < hidden; ++column)
        ASSERT_EQ(part.back()[row * hidden + column], whole.back()[row * hidden + column])
            << last << " " << row;
    }
  }
}

TEST_P(EveryModel, HiddenStatesOfEveryLayerAreThoseOfTransformers) {
  const Golden golden(GetParam());
  Encoder encoder(model_folder(GetParam()), *device_);
  ASSERT_EQ(golden.layers.size(), encoder.dimensions().layers + 1);
  const auto found = states(encoder, golden.batch, all_layers(encoder));
  for (std::size_t layer = 0; layer < found.size(); ++layer) {
    ASSERT_EQ(found[layer].size(), golden.layers[layer].size());
    float worst = 0;
    for (std::size_t index = 0; index < found[layer].size(); ++index) {
      worst = std::max(worst, std::abs(found[layer][index] - golden.layers[layer][index]));
      ASSERT_FALSE(std::isnan(found[layer][index])) << "layer " << layer << " element " << index;
    }
    EXPECT_LE(worst, 2e-5f) << "layer " << layer;
  }
}

TEST_P(EveryModel, StatesDependOnTheSequenceAlone) {
  const Golden golden(GetParam());
  Encoder encoder(model_folder(GetParam()), *device_);
  const auto together = states(encoder, golden.batch, all_layers(encoder));
  ThreadPool one_thread(1);
  const auto other_device = compute::make_cpu_device(one_thread);
  Encoder other(model_folder(GetParam()), *other_device);
  const std::size_t hidden = encoder.dimensions().hidden;
  for (std::size_t sequence = 0; sequence < golden.batch.sequences(); ++sequence) {
    const auto alone = states(other, part(golden.batch, sequence), all_layers(encoder));
    for (std::size_t layer = 0; layer < alone.size(); ++layer) {
      const auto begin =
          together[layer].begin() + static_cast<std::ptrdiff_t>(golden.batch.starts[sequence] * hidden);
      EXPECT_TRUE(std::equal(alone[layer].begin(), alone[layer].end(), begin)) << "layer " << layer;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Each, EveryModel,
                         ::testing::Values("bert", "bert_silu_narrow_heads", "bert_prefixed_old_names",
                                           "roberta", "xlm_roberta_sharded", "camembert", "distilbert",
                                           "electra", "mpnet", "albert", "deberta_v3",
                                           "deberta_v2_convolution", "bert_torch", "bert_torch_half",
                                           "bert_torch_legacy", "bert_torch_sharded", "bert_first_years",
                                           "bert_checkpoint", "modernbert", "modernbert_biases"),
                         [](const auto& model) { return std::string(model.param); });

class EncoderOfBert : public ::testing::Test {
 protected:
  ThreadPool pool_{2};
  std::unique_ptr<compute::Device> device_ = compute::make_cpu_device(pool_);
  Encoder encoder_{model_folder("bert"), *device_};
};

TEST_F(EncoderOfBert, GivesOnlyTheLayersAskedFor) {
  const Golden golden("bert");
  const auto every = states(encoder_, golden.batch, {0, 1, 2});
  const auto one = states(encoder_, golden.batch, {1});
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0], every[1]);
}

TEST_F(EncoderOfBert, LayerTheModelHasNotIsNamed) {
  EXPECT_ERROR(states(encoder_, Golden("bert").batch, {3}), ErrorCode::invalid_input,
               "layer 3 is asked for, the model has layers 0 to 2");
}

TEST_F(EncoderOfBert, TokenizerThatDoesNotFitIsNamed) {
  EXPECT_ERROR(states(encoder_, {.ids = {1, 64}, .starts = {0, 2}}, {2}), ErrorCode::invalid_input,
               "token id 64 is outside the model's vocabulary of 64: the tokenizer does not fit the model");
  EXPECT_ERROR(states(encoder_, {.ids = {-1}, .starts = {0, 1}}, {2}), ErrorCode::invalid_input,
               "token id -1");
}

TEST_F(EncoderOfBert, SequencesThatDoNotFitAreNamed) {
  const token::PackedBatch long_batch{.ids = std::vector<std::int32_t>(41, 2), .starts = {0, 41}};
  EXPECT_ERROR(states(encoder_, long_batch, {2}), ErrorCode::invalid_input,
               "sequence 0 of the batch has 41 tokens, the model takes 40");
  EXPECT_ERROR(states(encoder_, {.ids = {1}, .starts = {0, 1, 1}}, {2}), ErrorCode::invalid_input,
               "sequence 1 of the batch has no tokens");
}

TEST_F(EncoderOfBert, Bf16IsRefusedOrCloseToFloat) {
  if (!device_->supports(compute::Precision::bf16)) {
    EXPECT_ERROR(Encoder(model_folder("bert"), *device_, compute::Precision::bf16), ErrorCode::usage, "bf16");
    return;
  }
  const Golden golden("bert");
  Encoder rounded(model_folder("bert"), *device_, compute::Precision::bf16);
  const auto found = states(rounded, golden.batch, {2})[0], expected = golden.layers[2];
  double dot = 0, mine = 0, theirs = 0;
  for (std::size_t index = 0; index < found.size(); ++index) {
    dot += static_cast<double>(found[index]) * expected[index];
    mine += static_cast<double>(found[index]) * found[index];
    theirs += static_cast<double>(expected[index]) * expected[index];
  }
  EXPECT_GT(dot / std::sqrt(mine * theirs), 0.999);
}

TEST(EncoderLimits, RobertaLosesThePositionsBelowItsPadding) {
  ThreadPool pool(1);
  const auto device = compute::make_cpu_device(pool);
  EXPECT_EQ(Encoder(model_folder("roberta"), *device).dimensions().max_length, 38u);
  EXPECT_EQ(Encoder(model_folder("bert"), *device).dimensions().max_length, 40u);
}

TEST(EncoderErrors, UnknownArchitectureIsNamedWithThoseKnown) {
  ThreadPool pool(1);
  const auto device = compute::make_cpu_device(pool);
  const TempFolder folder;
  folder.write("config.json", R"({"model_type": "t5"})");
  EXPECT_ERROR(Encoder(folder.path(), *device), ErrorCode::invalid_input,
               "model_type 't5' is an architecture markeval does not have");
  EXPECT_ERROR(Encoder(folder.path(), *device), ErrorCode::invalid_input, "xlm-roberta");
  folder.write("config.json", "{}");
  EXPECT_ERROR(Encoder(folder.path(), *device), ErrorCode::invalid_input, "no 'model_type'");
}

TEST(EncoderErrors, ConfigThatDoesNotFitTheWeightsIsNamed) {
  ThreadPool pool(1);
  const auto device = compute::make_cpu_device(pool);
  const TempFolder folder;
  std::filesystem::copy(model_folder("bert") + "/model.safetensors", folder.file("model.safetensors"));
  folder.write("config.json",
               R"({"model_type": "bert", "vocab_size": 64, "hidden_size": 32, "num_hidden_layers": 3,
    "num_attention_heads": 4, "intermediate_size": 40, "max_position_embeddings": 40})");
  EXPECT_ERROR(Encoder(folder.path(), *device), ErrorCode::invalid_input,
               "no tensor 'encoder.layer.2.attention.self.query.weight', expected shape [32, 32]");
}

TEST(EncoderErrors, BucketsOfPositionsThatDivideByNothingAreRefused) {
  ThreadPool pool(1);
  const auto device = compute::make_cpu_device(pool);
  const TempFolder folder;
  std::filesystem::copy(model_folder("bert") + "/model.safetensors", folder.file("model.safetensors"));
  const std::string sizes = R"(, "vocab_size": 64, "hidden_size": 32, "num_hidden_layers": 1,
    "num_attention_heads": 4, "intermediate_size": 40, "max_position_embeddings": 40)";
  for (const char* const buckets : {"1", "4, \"max_relative_positions\": 3"}) {
    folder.write("config.json",
                 R"({"model_type": "deberta-v2")" + sizes + R"(, "position_buckets": )" + buckets + "}");
    EXPECT_ERROR(Encoder(folder.path(), *device), ErrorCode::invalid_input, "which do not fit");
  }
  folder.write("config.json",
               R"({"model_type": "mpnet")" + sizes + R"(, "relative_attention_num_buckets": 512})");
  EXPECT_ERROR(Encoder(folder.path(), *device), ErrorCode::invalid_input,
               "expected a multiple of 4 below 512");
}

}  // namespace
}  // namespace markeval::encoder
