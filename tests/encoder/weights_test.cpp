#include "encoder/weights.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "encoder/model_folder.hpp"
#include "support/temp_folder.hpp"

namespace markeval::encoder {
namespace {

class WeightsOf : public ::testing::Test {
 protected:
  ModelWeights open() {
    return ModelWeights(open_weights(folder_.path()), "anchor.weight", *device_, compute::Precision::f32);
  }
  void write_single(const std::string& header, std::size_t data) {
    folder_.write("model.safetensors", safetensors(header, std::string(data, '\0')));
  }

  TempFolder folder_;
  ThreadPool pool_{1};
  std::unique_ptr<compute::Device> device_ = compute::make_cpu_device(pool_);
};

const std::string kAnchor = R"("anchor.weight": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]})";

TEST_F(WeightsOf, FolderThatDoesNotExistIsNamed) {
  EXPECT_ERROR(open_weights("/nowhere"), ErrorCode::io, "/nowhere: no such folder, expected a model");
}

TEST_F(WeightsOf, FolderWithoutWeightsIsRefused) {
  EXPECT_ERROR(open(), ErrorCode::invalid_input,
               "no weights: expected model.safetensors, pytorch_model.bin, the index of either, or "
               "bert_model.ckpt.index");
}

TEST_F(WeightsOf, SafetensorsWinOverPytorchsFile) {
  folder_.write("pytorch_model.bin", "x");
  EXPECT_ERROR(open(), ErrorCode::invalid_input, "pytorch_model.bin: no file of PyTorch");
  write_single("{" + kAnchor + "}", 16);
  EXPECT_TRUE(open().has("anchor.weight"));
}

TEST_F(WeightsOf, ALinkThatLeadsNowhereIsNoMissingFile) {
  std::filesystem::create_symlink("../blobs/0", folder_.file("model.safetensors"));
  folder_.write("pytorch_model.bin", "x");
  EXPECT_ERROR(open(), ErrorCode::io, "model.safetensors: a link that leads nowhere, expected a file");
}

TEST_F(WeightsOf, FindsThePrefix) {
  write_single(R"({"some.model.anchor.weight": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]},
                   "some.model.b": {"dtype": "F32", "shape": [3], "data_offsets": [16, 28]}})",
               28);
  const ModelWeights weights = open();
  EXPECT_TRUE(weights.has("b"));
  EXPECT_FALSE(weights.has("some.model.b"));
  EXPECT_EQ(weights.vector("b", 3).columns, 3u);
}

TEST_F(WeightsOf, MissingAnchorIsNamed) {
  write_single(R"({"not_anchor.weight": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}})", 16);
  EXPECT_ERROR(open(), ErrorCode::invalid_input, "no tensor 'anchor.weight', with or without a prefix");
}

TEST_F(WeightsOf, MissingTensorIsNamedWithItsShape) {
  write_single("{" + kAnchor + "}", 16);
  EXPECT_ERROR(open().matrix("b.weight", 3, 4), ErrorCode::invalid_input,
               "no tensor 'b.weight', expected shape [3, 4]");
  EXPECT_ERROR(open().linear("anchor", 2, 2), ErrorCode::invalid_input,
               "no tensor 'anchor.bias', expected shape [2]");
}

TEST_F(WeightsOf, MisshapenTensorIsNamedWithBothShapes) {
  write_single("{" + kAnchor + "}", 16);
  EXPECT_ERROR(open().matrix("anchor.weight", 4, 2), ErrorCode::invalid_input,
               "tensor 'anchor.weight' has shape [2, 2], expected [4, 2]");
  EXPECT_ERROR(open().vector("anchor.weight", 4), ErrorCode::invalid_input, "has shape [2, 2], expected [4]");
}

TEST_F(WeightsOf, ATensorWithoutRowsHasNoFirstRow) {
  write_single("{" + kAnchor + R"(, "types": {"dtype": "F32", "shape": [0, 2], "data_offsets": [16, 16]}})",
               16);
  EXPECT_ERROR(open().first_row("types", 0, 2), ErrorCode::invalid_input,
               "tensor 'types' has shape [0, 2], expected at least one row");
}

TEST_F(WeightsOf, MistypedTensorIsNamedWithItsType) {
  write_single(R"({"anchor.weight": {"dtype": "I64", "shape": [1, 2], "data_offsets": [0, 16]}})", 16);
  EXPECT_ERROR(open().matrix("anchor.weight", 1, 2), ErrorCode::invalid_input,
               "tensor 'anchor.weight' is I64, expected F32, F16 or BF16");
}

TEST_F(WeightsOf, IndexThatLiesIsRefused) {
  folder_.write("model.safetensors.index.json", "{}");
  EXPECT_ERROR(open(), ErrorCode::invalid_input, "expected a JSON object with a 'weight_map'");
  folder_.write("model.safetensors.index.json", R"({"weight_map": {"a": 3}})");
  EXPECT_ERROR(open(), ErrorCode::invalid_input,
               "tensor 'a' is said to be in 3, expected a file of this folder");
  folder_.write("model.safetensors.index.json", R"({"weight_map": {"a": "../secret"}})");
  EXPECT_ERROR(open(), ErrorCode::invalid_input, "said to be in '../secret', expected a file of this folder");
  folder_.write("model.safetensors.index.json", std::string(200000, '['));
  EXPECT_ERROR(open(), ErrorCode::invalid_input, "101 levels of JSON, more than 100");
  folder_.write("model.safetensors.index.json", R"({"weight_map": {"a": "part1.safetensors"}})");
  EXPECT_ERROR(open(), ErrorCode::io,
               "model.safetensors.index.json: names 'part1.safetensors', which is not in the folder");
}

// The first by name once won, whatever the index says.
TEST_F(WeightsOf, ATensorInTwoFilesIsRefused) {
  folder_.write("a.safetensors", safetensors("{" + kAnchor + "}", std::string(16, '\1')));
  folder_.write("b.safetensors", safetensors("{" + kAnchor + "}", std::string(16, '\2')));
  folder_.write("model.safetensors.index.json",
                R"({"weight_map": {"anchor.weight": "b.safetensors", "other": "a.safetensors"}})");
  EXPECT_ERROR(open(), ErrorCode::invalid_input,
               "b.safetensors: tensor 'anchor.weight' is in a.safetensors too");
  folder_.write("model.safetensors.index.json", R"({"weight_map": {"anchor.weight": "b.safetensors"}})");
  EXPECT_TRUE(open().has("anchor.weight"));
}

}  // namespace
}  // namespace markeval::encoder
