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
  EXPECT_ERROR(read(), ErrorCode::invalid_input, "modules.json: no modules, expected a Transformer at least");
  std::filesystem::remove(folder_.file("modules.json"));
  for (const char* value : {"true", "1", "\"no\""}) {
    folder_.write("sentence_bert_config.json", "{\"do_lower_case\": " + std::string(value) + "}");
    EXPECT_ERROR(read(), ErrorCode::invalid_input, "do_lower_case is ");
  }
}

TEST_F(ModelSettingsOf, ModulesComeInOneOrder) {
  const auto modules = [&](std::initializer_list<const char*> kinds) {
    std::string list;
    for (const char* kind : kinds)
      list += std::string(list.empty() ? "[" : ", ") + R"({"path": "", "type": ")" + kind + "\"}";
    folder_.write("modules.json", list + "]");
    read();
  };
  folder_.write("config.json", R"({"pooling_mode": "cls"})");
  EXPECT_NO_THROW(modules({"Transformer", "Pooling", "Normalize"}));
  EXPECT_NO_THROW(modules({"Transformer", "Normalize"}));
  const char* const told = "modules.json: modules out of order, expected Transformer, Pooling, Normalize";
  EXPECT_ERROR(modules({"Pooling"}), ErrorCode::invalid_input, told);
  EXPECT_ERROR(modules({"Transformer", "Normalize", "Pooling"}), ErrorCode::invalid_input, told);
  EXPECT_ERROR(modules({"Transformer", "Pooling", "Pooling"}), ErrorCode::invalid_input, told);
}

// As in a folder of a hub's cache that was copied without what its links lead to.
TEST_F(ModelSettingsOf, ALinkThatLeadsNowhereIsNoMissingFile) {
  for (const char* name : {"modules.json", "tokenizer.json", "sentence_bert_config.json"}) {
    std::filesystem::create_symlink("../blobs/0", folder_.file(name));
    EXPECT_ERROR(read(), ErrorCode::io, std::string(name) + ": a link that leads nowhere, expected a file");
    std::filesystem::remove(folder_.file(name));
  }
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
