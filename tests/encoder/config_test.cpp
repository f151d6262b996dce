#include "encoder/config.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/temp_folder.hpp"

namespace markeval::encoder {
namespace {

const std::string kBert =
    R"("vocab_size": 10, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2,
  "max_position_embeddings": 5)";

ConfigFile config(const TempFolder& folder, const std::string& text) {
  folder.write("config.json", text);
  return ConfigFile(folder.path());
}

TEST(Config, ReadsCustomaryDimensionsWithDefaults) {
  const TempFolder folder;
  const ConfigFile file =
      config(folder, "{" + kBert + R"(, "intermediate_size": 32, "layer_norm_eps": null})");
  const Dimensions dimensions = read_customary_dimensions(file, 1e-12);
  EXPECT_EQ(dimensions.vocabulary, 10u);
  EXPECT_EQ(dimensions.intermediate, 32u);
  EXPECT_EQ(dimensions.head_width(), 4u);
  EXPECT_EQ(dimensions.layer_norm_epsilon, 1e-12f);
  EXPECT_EQ(dimensions.activation, HiddenActivation::gelu);
}

TEST(Config, OldBertsNeedNoModelType) {
  const TempFolder folder;
  folder.write("bert_config.json", "{" + kBert + "}");
  EXPECT_EQ(ConfigFile(folder.path()).architecture(), "bert");
  EXPECT_EQ(ConfigFile(folder.path()).path(), folder.file("bert_config.json"));
  const std::string old = "{" + kBert + R"(, "hidden_act": "gelu", "type_vocab_size": )";
  EXPECT_EQ(config(folder, old + "2}").architecture(), "bert");
  EXPECT_EQ(config(folder, old + "1}").architecture(), "") << "this may be a RoBERTa";
  EXPECT_EQ(config(folder, old + R"(2, "embedding_size": 4})").architecture(), "") << "this may be an ALBERT";
  EXPECT_EQ(config(folder, old + R"(2, "model_type": "electra"})").architecture(), "electra")
      << "config.json counts where both are there";
}

TEST(Config, FolderWithoutOneIsNamed) {
  const TempFolder folder;
  EXPECT_ERROR(ConfigFile(folder.path()), ErrorCode::io,
               folder.path() + ": no config.json and no bert_config.json, expected a model");
}

TEST(Config, NamesTheMissingKey) {
  const TempFolder folder;
  const ConfigFile file = config(folder, "{" + kBert + "}");
  EXPECT_ERROR(read_customary_dimensions(file, 1e-12), ErrorCode::invalid_input,
               "config.json: no 'intermediate_size', expected a whole number above 0");
}

TEST(Config, NamesTheMistypedKey) {
  const TempFolder folder;
  const std::pair<std::string, std::string> values[]{
      {"\"32\"", "'32'"}, {"-3", "-3"}, {"0", "0"}, {"2.5", "2.5"}, {"[1]", "[1]"}};
  for (const auto& [value, shown] : values) {
    const ConfigFile file = config(folder, "{" + kBert + R"(, "intermediate_size": )" + value + "}");
    EXPECT_ERROR(read_customary_dimensions(file, 1e-12), ErrorCode::invalid_input,
                 "'intermediate_size' is " + shown + ", expected a whole number above 0");
  }
}

TEST(Config, SizesGoByEitherOfTheirNames) {
  const TempFolder folder;
  const std::string shared = R"({"vocab_size": 10, "max_position_embeddings": 5, )";
  for (const char* sizes :
       {R"("hidden_size": 8, "num_hidden_layers": 3, "num_attention_heads": 2,
                               "intermediate_size": 4})",
        R"("dim": 8, "n_layers": 3, "n_heads": 2, "hidden_dim": 4})",
        R"("dim": 8, "n_layers": 3, "n_heads": 2, "hidden_dim": 4, "hidden_size": 8,
                               "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 4})",
        R"("dim": 8, "hidden_size": null, "n_layers": 3, "n_heads": 2, "hidden_dim": 4})"}) {
    const Dimensions dimensions = read_sizes(config(folder, shared + sizes));
    EXPECT_EQ(dimensions.hidden, 8u) << sizes;
    EXPECT_EQ(dimensions.layers, 3u) << sizes;
    EXPECT_EQ(dimensions.heads, 2u) << sizes;
    EXPECT_EQ(dimensions.intermediate, 4u) << sizes;
  }
}

TEST(Config, SizesThatContradictEachOtherAreAnErrorThatNamesBoth) {
  const TempFolder folder;
  const std::string all = R"({"vocab_size": 10, "max_position_embeddings": 5, "hidden_size": 8,
    "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 4)";
  const struct {
    const char *change, *message;
  } cases[] = {{R"(, "dim": 4096})", "'hidden_size' is 8 but 'dim' is 4096, expected one number for both"},
               {R"(, "n_layers": 1})", "'num_hidden_layers' is 3 but 'n_layers' is 1, "},
               {R"(, "n_heads": 4})", "'num_attention_heads' is 2 but 'n_heads' is 4, "},
               {R"(, "hidden_dim": 5})", "'intermediate_size' is 4 but 'hidden_dim' is 5, "},
               {R"(, "dim": "8"})", "'dim' is '8', expected a whole number above 0"}};
  for (const auto& one : cases) {
    EXPECT_ERROR(read_sizes(config(folder, all + one.change)), ErrorCode::invalid_input, one.message);
  }
}

TEST(Config, RefusesHeadsThatDoNotShareTheHiddenSize) {
  const TempFolder folder;
  const ConfigFile file = config(folder, R"({"vocab_size": 10, "hidden_size": 8, "num_hidden_layers": 1,
    "num_attention_heads": 3, "max_position_embeddings": 5, "intermediate_size": 4})");
  EXPECT_ERROR(read_customary_dimensions(file, 1e-12), ErrorCode::invalid_input,
               "a hidden size of 8 cannot be shared by 3 heads");
}

TEST(Config, RefusesDecoders) {
  const TempFolder folder;
  const ConfigFile file = config(folder, "{" + kBert + R"(, "intermediate_size": 4, "is_decoder": true})");
  EXPECT_ERROR(read_customary_dimensions(file, 1e-12), ErrorCode::invalid_input,
               "'is_decoder' is true, markeval has encoders only");
}

TEST(Config, RefusesSizesThatCannotBeTrue) {
  const TempFolder folder;
  const ConfigFile file = config(folder, "{" + kBert + R"(, "intermediate_size": 99999999999})");
  EXPECT_ERROR(read_customary_dimensions(file, 1e-12), ErrorCode::invalid_input,
               "a size of 99999999999 cannot be right");
}

TEST(Config, UnknownActivationIsNamedWithThoseKnown) {
  const TempFolder folder;
  const ConfigFile file = config(folder, R"({"hidden_act": "mish", "near": "gelu_neww"})");
  EXPECT_ERROR(read_activation(file, "hidden_act", "gelu"), ErrorCode::invalid_input,
               "'hidden_act' is 'mish', an activation markeval does not have; known: gelu");
  EXPECT_ERROR(read_activation(file, "near", "gelu"), ErrorCode::invalid_input, "did you mean 'gelu_new'?");
}

TEST(Config, OtherPositionEmbeddingsAreRefusedByName) {
  const TempFolder folder;
  const ConfigFile file = config(folder, R"({"position_embedding_type": "relative_key"})");
  EXPECT_ERROR(require_absolute_positions(file), ErrorCode::invalid_input,
               "position_embedding_type is 'relative_key'");
}

TEST(Config, ReadsWordsFromListOrFromOneString) {
  const TempFolder folder;
  const ConfigFile file = config(folder, R"({"list": ["c2p", "p2c"], "text": "p2c | c2p", "bad": [1]})");
  EXPECT_EQ(file.words_or_none("list"), (std::vector<std::string>{"c2p", "p2c"}));
  EXPECT_EQ(file.words_or_none("text"), (std::vector<std::string>{"p2c", "c2p"}));
  EXPECT_TRUE(file.words_or_none("absent").empty());
  EXPECT_ERROR(file.words_or_none("bad"), ErrorCode::invalid_input,
               "'bad' is [1], expected a list of strings");
}

TEST(Config, BrokenFilesAreNamed) {
  const TempFolder folder;
  EXPECT_ERROR(ConfigFile{folder.path()}, ErrorCode::io, "config.json");
  EXPECT_ERROR(config(folder, "{\"a\": "), ErrorCode::invalid_input, "config.json: not JSON: ");
  EXPECT_ERROR(config(folder, "[]"), ErrorCode::invalid_input, "config.json: a list, expected a JSON object");
}

}  // namespace
}  // namespace markeval::encoder
