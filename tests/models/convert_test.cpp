#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/error.hpp"
#include "encoder/encoder.hpp"
#include "encoder/safetensors.hpp"
#include "models/model_folder.hpp"
#include "models/store.hpp"
#include "support/temp_folder.hpp"

namespace markeval::models {
namespace {

namespace fs = std::filesystem;

std::string model_folder(const std::string& name) {
  return std::string(MARKEVAL_TEST_MODELS) + "/" + name;
}

std::vector<float> last_states(const std::string& folder) {
  ThreadPool pool(1);
  const auto device = compute::make_cpu_device(pool);
  encoder::Encoder encoder(folder, *device);
  const std::vector<std::size_t> layers{encoder.dimensions().layers};
  const token::PackedBatch batch{.ids = {5, 9, 33, 2, 60}, .starts = {0, 5}};
  std::vector<float> states;
  encoder.run(batch, layers,
              [&](std::size_t, const compute::Sequences&, compute::DeviceMatrix<const float> rows) {
                states = compute::download_matrix(*device, rows);
              });
  return states;
}

class ConvertOf : public ::testing::TestWithParam<const char*> {};

TEST_P(ConvertOf, GivesTheSameStatesToTheBit) {
  const TempFolder folder;
  const std::string to = folder.file("new");
  const ConvertedFolder result = convert_model(model_folder(GetParam()), to);
  EXPECT_EQ(result.folder, to);
  EXPECT_GT(result.tensors, 30u);
  EXPECT_TRUE(fs::exists(to + "/config.json"));
  EXPECT_TRUE(fs::exists(to + "/model.safetensors"));
  EXPECT_EQ(encoder::ConfigFile(to).architecture(),
            encoder::ConfigFile(model_folder(GetParam())).architecture());
  EXPECT_TRUE(encoder::ConfigFile(to).has("model_type"));
  EXPECT_EQ(last_states(to), last_states(model_folder(GetParam())));
  EXPECT_FALSE(fs::exists(to + ".partial"));
}

INSTANTIATE_TEST_SUITE_P(Each, ConvertOf,
                         ::testing::Values("bert_torch", "bert_torch_half", "bert_torch_legacy",
                                           "bert_torch_sharded", "bert_first_years", "bert_checkpoint",
                                           "roberta", "xlm_roberta_sharded", "modernbert"),
                         [](const auto& model) { return std::string(model.param); });

TEST(Convert, WritesTodaysNames) {
  const TempFolder folder;
  convert_model(model_folder("bert_first_years"), folder.file("new"));
  const encoder::SafetensorsFile file(folder.file("new/model.safetensors"));
  EXPECT_NE(file.find("bert.embeddings.LayerNorm.weight"), nullptr);
  EXPECT_EQ(file.find("bert.embeddings.LayerNorm.gamma"), nullptr);
}

TEST(Convert, BringsTokenizerAndPooling) {
  const TempFolder folder;
  fs::create_directories(folder.file("old/1_Pooling"));
  for (const char* name : {"config.json", "pytorch_model.bin"})
    fs::copy(model_folder("bert_torch") + "/" + name, folder.file("old/" + std::string(name)));
  folder.write("old/vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n");
  folder.write("old/modules.json", R"([{"path": "", "type": "sentence_transformers.models.Transformer"},
    {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}])");
  folder.write("old/1_Pooling/config.json", R"({"pooling_mode_cls_token": true})");
  convert_model(folder.file("old"), folder.file("new"));
  const ModelFolder converted(folder.file("new"));
  EXPECT_EQ(converted.settings().pooling, encoder::Pooling::cls);
  EXPECT_TRUE(fs::exists(folder.file("new/vocab.txt")));
}

TEST(Convert, BringsATransformerOutOfItsFolder) {
  const TempFolder folder;
  for (const char* place : {"old/0_Transformer", "old/1_Pooling"}) fs::create_directories(folder.file(place));
  for (const char* name : {"config.json", "pytorch_model.bin"})
    fs::copy(model_folder("bert_torch") + "/" + name, folder.file("old/0_Transformer/" + std::string(name)));
  folder.write("old/0_Transformer/vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n");
  folder.write("old/0_Transformer/sentence_bert_config.json", R"({"max_seq_length": 24})");
  folder.write("old/config.json", R"({"__version__": "2.0.0"})");  // of sentence-transformers, no model's
  folder.write("old/modules.json", R"([
    {"idx": 0, "path": "0_Transformer", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    {"idx": 2, "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}])");
  folder.write("old/1_Pooling/config.json", R"({"pooling_mode_max_tokens": true})");
  convert_model(folder.file("old"), folder.file("new"));
  const ModelFolder before(folder.file("old")), after(folder.file("new"));
  EXPECT_EQ(after.files().folder(), after.path());
  EXPECT_EQ(after.settings().pooling, encoder::Pooling::max);
  EXPECT_TRUE(after.settings().normalize);
  EXPECT_EQ(after.token_limit(token::LimitFor::sentences), before.token_limit(token::LimitFor::sentences));
  EXPECT_EQ(after.config().architecture(), "bert");
  EXPECT_EQ(last_states(folder.file("new")), last_states(folder.file("old/0_Transformer")));
  EXPECT_TRUE(fs::exists(folder.file("new/vocab.txt")));
  EXPECT_FALSE(fs::exists(folder.file("new/0_Transformer")));
}

TEST(Convert, KeepsWhatGooglesVocabularyTellsAboutCase) {
  const TempFolder folder;
  fs::copy(model_folder("bert_checkpoint"), folder.file("old"));
  folder.write("old/vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\nCat\ncat\n");
  convert_model(folder.file("old"), folder.file("new"));
  for (const char* name : {"old", "new"}) {
    token::TokenizerScratch scratch;
    token::PackedBatch batch;
    ModelFolder(folder.file(name)).tokenizer().append("Cat", token::kNoLimit, scratch, batch);
    EXPECT_EQ(batch.ids, (std::vector<std::int32_t>{2, 4, 3})) << name;
  }
}

TEST(Convert, RefusesAFolderThatIsThereAndLeavesNothingBehind) {
  const TempFolder folder;
  EXPECT_ERROR(convert_model(model_folder("bert"), folder.path()), ErrorCode::usage, "is there already");
  fs::create_directories(folder.file("bad"));
  folder.write("bad/config.json", R"({"model_type": "bert"})");
  folder.write("bad/pytorch_model.bin", "no pickle");
  EXPECT_ERROR(convert_model(folder.file("bad"), folder.file("new")), ErrorCode::invalid_input,
               "no file of PyTorch");
  EXPECT_FALSE(fs::exists(folder.file("new")));
  EXPECT_FALSE(fs::exists(folder.file("new.partial")));
}

}  // namespace
}  // namespace markeval::models
