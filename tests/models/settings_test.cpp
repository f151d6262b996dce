#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "models/model_folder.hpp"
#include "support/temp_folder.hpp"

namespace markeval::models {
namespace {

using encoder::Pooling;

class ModelSettingsOf : public ::testing::Test {
 protected:
  void write_modules(const std::string& pooling, const std::string& more = "") {
    std::filesystem::create_directories(folder_.file("1_Pooling"));
    folder_.write("1_Pooling/config.json", pooling);
    folder_.write("modules.json", R"([{"path": "", "type": "sentence_transformers.models.Transformer"},
      {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"})" +
                                      more + "]");
  }
  ModelSettings read() { return ModelFolder(folder_.path()).settings(); }

  TempFolder folder_;
};

TEST_F(ModelSettingsOf, APlainFolderAreTheMean) {
  const ModelSettings settings = read();
  EXPECT_EQ(ModelFolder(folder_.path()).files().folder(), folder_.path());
  EXPECT_EQ(settings.pooling, Pooling::mean);
  EXPECT_FALSE(settings.normalize);
}

TEST_F(ModelSettingsOf, SentenceTransformersFolderAreRead) {
  write_modules(
      R"({"word_embedding_dimension": 8, "pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false})",
      R"(, {"path": "2_Normalize", "type": "sentence_transformers.models.Normalize"})");
  const ModelSettings settings = read();
  EXPECT_EQ(settings.pooling, Pooling::cls);
  EXPECT_TRUE(settings.normalize);
}

TEST_F(ModelSettingsOf, FolderWithTheTransformerBelowItAreRead) {
  std::filesystem::create_directories(folder_.file("0_Transformer"));
  folder_.write("modules.json",
                R"([{"path": "0_Transformer", "type": "sentence_transformers.models.Transformer"}])");
  EXPECT_EQ(ModelFolder(folder_.path()).files().folder(), folder_.path() + "/0_Transformer");
}

TEST_F(ModelSettingsOf, NewerPoolingSettingsAreRead) {
  write_modules(R"({"pooling_mode": "max"})");
  EXPECT_EQ(read().pooling, Pooling::max);
}

TEST_F(ModelSettingsOf, OtherPoolingIsNamed) {
  write_modules(R"({"pooling_mode_lasttoken": true})");
  EXPECT_ERROR(read(), ErrorCode::invalid_input,
               "1_Pooling/config.json: pools by lasttoken, markeval has one of");
  write_modules(R"({"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true})");
  EXPECT_ERROR(read(), ErrorCode::invalid_input, "pools by cls_token, mean_tokens");
  write_modules("{}");
  EXPECT_ERROR(read(), ErrorCode::invalid_input, "pools by nothing");
}

TEST_F(ModelSettingsOf, OtherModuleIsNamed) {
  write_modules(R"({"pooling_mode": "mean"})",
                R"(, {"path": "2_Dense", "type": "sentence_transformers.models.Dense"})");
  EXPECT_ERROR(read(), ErrorCode::invalid_input,
               "module 'sentence_transformers.models.Dense' is one markeval does not have");
}

TEST_F(ModelSettingsOf, BrokenFilesAreNamed) {
  folder_.write("modules.json", "{}");
  EXPECT_ERROR(read(), ErrorCode::invalid_input, "modules.json: expected a list of modules");
  folder_.write("modules.json", "[");
  EXPECT_ERROR(read(), ErrorCode::invalid_input, "modules.json: not JSON: ");
  folder_.write("modules.json", "[{}]");
  EXPECT_ERROR(read(), ErrorCode::invalid_input, "a module without 'type' and 'path'");
  folder_.write("modules.json", R"([{"path": "../x", "type": "Pooling"}])");
  EXPECT_ERROR(read(), ErrorCode::invalid_input, "module path '../x' leaves the folder");
  folder_.write("modules.json", "[]");
  folder_.write("sentence_bert_config.json", R"({"do_lower_case": true})");
  EXPECT_ERROR(read(), ErrorCode::invalid_input, "do_lower_case is true");
}

TEST_F(ModelSettingsOf, DeepNestingIsRefused) {
  const std::string deep = std::string(200000, '[') + std::string(200000, ']');
  folder_.write("modules.json", deep);
  EXPECT_ERROR(read(), ErrorCode::invalid_input, "modules.json: 101 levels of JSON, more than 100");
  write_modules("{\"a\": " + deep + "}");
  EXPECT_ERROR(read(), ErrorCode::invalid_input, "1_Pooling/config.json: 101 levels of JSON, more than 100");
}

}  // namespace
}  // namespace markeval::models
