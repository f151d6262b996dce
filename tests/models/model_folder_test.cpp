#include "models/model_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "encoder/encoder.hpp"
#include "support/environment.hpp"
#include "support/temp_folder.hpp"

namespace markeval::models {
namespace {

namespace fs = std::filesystem;

class ModelFolderOf : public ::testing::Test {
 protected:
  ModelFolderOf() {
    fs::create_directories(root_.file("tiny"));
    root_.write("tiny/config.json", R"({"model_type": "bert", "_name_or_path": "owner/first"})");
    root_.write("tiny/model.safetensors", "weights");
  }
  ModelFolder open() const { return ModelFolder(root_.file("tiny")); }

  TempFolder root_, cache_;
  EnvironmentVariable cache_place_{"MARKEVAL_CACHE", cache_.path()};
};

TEST_F(ModelFolderOf, AModelSignsWithItsNameAndHash) {
  const std::string expected = "tiny@" + sha256_of("weights").substr(0, 8);
  EXPECT_EQ(open().signature(), expected);
  EXPECT_EQ(ModelFolder(root_.file("tiny") + "/").signature(), expected);
  EXPECT_EQ(open().name_in_config(), "owner/first");
  EXPECT_EQ(open().weight_bytes(), 7u);
  EXPECT_EQ(open().weight_hash(), sha256_of("weights"));
}

TEST_F(ModelFolderOf, AnotherModelInThePlaceOfThisOneIsNoticed) {
  const ModelFolder before = open();
  EXPECT_TRUE(before.is_current());
  fs::create_directories(root_.file("new"));
  root_.write("new/config.json", R"({"model_type": "bert", "_name_or_path": "owner/second"})");
  root_.write("new/model.safetensors", "WEIGHTS");
  fs::rename(root_.file("tiny"), root_.file("old"));
  fs::rename(root_.file("new"), root_.file("tiny"));
  EXPECT_FALSE(before.is_current());
  EXPECT_EQ(before.name_in_config(), "owner/first");
  EXPECT_EQ(before.weight_hash(), sha256_of("weights")) << "it is still the one that was opened";
  EXPECT_EQ(open().weight_hash(), sha256_of("WEIGHTS"));
}

TEST_F(ModelFolderOf, EveryFileOfAModelCounts) {
  const auto noticed = [&](const std::string& file, const std::string& content) {
    const ModelFolder before = open();
    root_.write("tiny/" + file, content);
    return !before.is_current();
  };
  EXPECT_TRUE(noticed("config.json", R"({"model_type": "bert", "hidden_size": 4})"));
  EXPECT_TRUE(noticed("vocab.txt", "a\n")) << "a new file";
  EXPECT_TRUE(noticed("vocab.txt", "b\n"));
  EXPECT_TRUE(noticed("modules.json", R"([{"path": "", "type": "Transformer"}])"));
  EXPECT_TRUE(noticed("model.safetensors", "longer weights"));
  EXPECT_FALSE(noticed("README.md", "for people"));
  const ModelFolder before = open();
  fs::remove(root_.file("tiny/vocab.txt"));
  EXPECT_FALSE(before.is_current()) << "a file that is gone";
}

TEST_F(ModelFolderOf, SettingsHaveOneHash) {
  const std::string before = open().settings_hash();
  root_.write("tiny/README.md", "for people");
  root_.write("tiny/model.safetensors", "other weights");
  EXPECT_EQ(open().settings_hash(), before);
  root_.write("tiny/vocab.txt", "a\n");
  const std::string with_vocabulary = open().settings_hash();
  EXPECT_NE(with_vocabulary, before);
  fs::create_directories(root_.file("tiny/1_Pooling"));
  root_.write("tiny/1_Pooling/config.json", R"({"pooling_mode": "mean"})");
  root_.write("tiny/modules.json",
              R"([{"path": "", "type": "Transformer"}, {"path": "1_Pooling", "type": "Pooling"}])");
  const std::string with_pooling = open().settings_hash();
  EXPECT_NE(with_pooling, with_vocabulary);
  root_.write("tiny/1_Pooling/config.json", R"({"pooling_mode": "cls"})");
  EXPECT_NE(open().settings_hash(), with_pooling);
}

TEST_F(ModelFolderOf, WhatIsMissingIsSaidWhenItIsNeeded) {
  fs::remove(root_.file("tiny/model.safetensors"));
  const ModelFolder model = open();
  EXPECT_TRUE(model.is_current());
  EXPECT_ERROR(model.weights(), ErrorCode::invalid_input, "no weights: expected model.safetensors");
  EXPECT_ERROR(model.weight_hash(), ErrorCode::invalid_input, "no weights: expected model.safetensors");
  EXPECT_ERROR(model.tokenizer(), ErrorCode::invalid_input, "no tokenizer");
  root_.write("tiny/model.safetensors", "weights");
  EXPECT_FALSE(model.is_current());
  EXPECT_ERROR(ModelFolder(root_.file("none")), ErrorCode::io, "no such folder");
}

TEST_F(ModelFolderOf, AConfigTooDeepToReadIsRefused) {
  root_.write("tiny/config.json", "{\"a\": " + std::string(200000, '[') + std::string(200000, ']') + "}");
  EXPECT_ERROR(open().config(), ErrorCode::invalid_input, "config.json: 101 levels of JSON, more than 100");
}

/// The hash is that of the weights in use, also where the folder is exchanged meanwhile.
TEST(ModelFolderInUse, GivesTheHashOfWhatIsLoaded) {
  const TempFolder root, cache;
  const EnvironmentVariable cache_place("MARKEVAL_CACHE", cache.path());
  const fs::path models(MARKEVAL_TEST_MODELS);
  fs::copy(models / "bert", root.file("m"), fs::copy_options::recursive);
  const std::string weights = root.file("m/model.safetensors"), before = sha256_of_file(weights);
  ThreadPool pool(1);
  const auto device = compute::make_cpu_device(pool);
  const ModelFolder model(root.file("m"));
  std::string bytes(fs::file_size(weights), '\0');
  std::ifstream(weights, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  fs::rename(root.write("new", bytes), weights);
  const encoder::Encoder encoder(model.config(), model.weights(), *device);
  EXPECT_EQ(model.weight_hash(), before);
  EXPECT_FALSE(model.is_current());
  // Written into the open file itself, the old bytes are gone: then nobody may go on.
  const ModelFolder second(root.file("m"));
  std::fstream(weights, std::ios::in | std::ios::out | std::ios::binary).write(bytes.data() + 1, 100);
  EXPECT_ERROR(encoder::Encoder(second.config(), second.weights(), *device), ErrorCode::io,
               "was changed while it was in use");
}

}  // namespace
}  // namespace markeval::models
