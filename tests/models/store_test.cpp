#include "models/store.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "support/environment.hpp"
#include "support/temp_folder.hpp"

namespace markeval::models {
namespace {

namespace fs = std::filesystem;

class ModelStore : public ::testing::Test {
 protected:
  std::string add(const std::string& name, const std::string& weights = "weights") {
    fs::create_directories(models_.file(name));
    models_.write(name + "/config.json",
                  R"({"model_type": "bert", "num_hidden_layers": 6, "hidden_size": 384})");
    return models_.write(name + "/model.safetensors", weights);
  }
  TempFolder models_, cache_;
  EnvironmentVariable place_{"MARKEVAL_MODELS", models_.path()};
  EnvironmentVariable cache_place_{"MARKEVAL_CACHE", cache_.path()};
};

TEST_F(ModelStore, LooksInTheUsersFolderAndTheWorkingFolder) {
  EXPECT_EQ(model_folders(), (std::vector<std::string>{models_.path(), "models"}));
  const EnvironmentVariable none("MARKEVAL_MODELS", nullptr);
  const EnvironmentVariable data("XDG_DATA_HOME", "/d");
  EXPECT_EQ(model_folders().front(), "/d/markeval/models");
  const EnvironmentVariable no_data("XDG_DATA_HOME", nullptr);
  const EnvironmentVariable home("HOME", "/h");
  EXPECT_EQ(model_folders().front(), "/h/.local/share/markeval/models");
}

TEST_F(ModelStore, FindsNamesOwnersAndFolders) {
  add("plain");
  add("owner/inner");
  EXPECT_EQ(find_model("plain"), models_.file("plain"));
  EXPECT_EQ(find_model("owner/inner"), models_.file("owner/inner"));
  EXPECT_EQ(find_model("inner"), models_.file("owner/inner"));
  EXPECT_EQ(find_model(models_.file("plain")), models_.file("plain"));
}

TEST_F(ModelStore, SaysWhereItLookedAndHowToGetOne) {
  add("all-MiniLM-L12-v2");
  EXPECT_ERROR(find_model("all-MiniLM-L6-v2"), ErrorCode::usage, "markeval model pull all-MiniLM-L6-v2");
  EXPECT_ERROR(find_model("all-MiniLM-L6-v2"), ErrorCode::usage, "did you mean 'all-MiniLM-L12-v2'?");
  EXPECT_ERROR(find_model("all-MiniLM-L6-v2"), ErrorCode::usage, models_.path() + " and models");
  EXPECT_ERROR(find_model("/no/such"), ErrorCode::usage, "model '/no/such': no such folder");
  EXPECT_ERROR(find_model(""), ErrorCode::usage, "no name");
}

TEST_F(ModelStore, AsksWhichOfTwoOwners) {
  add("a/same");
  add("b/same");
  EXPECT_ERROR(find_model("same"), ErrorCode::usage, "both a/same and b/same");
}

TEST_F(ModelStore, ListsWhatIsThereAndWhatIsWrongWithIt) {
  add("zeta");
  add("owner/alpha");
  fs::create_directories(models_.file(".partial/half"));
  models_.write(".partial/half/config.json", "{}");
  fs::create_directories(models_.file("broken"));
  models_.write("broken/config.json", "{}");
  const auto models = list_models();
  ASSERT_EQ(models.size(), 3u);
  EXPECT_EQ(models[0].name, "broken");
  EXPECT_NE(models[0].problem.find("no weights: expected model.safetensors"), std::string::npos);
  EXPECT_EQ(models[1].name, "owner/alpha");
  EXPECT_EQ(models[1].hidden, 384u);
  EXPECT_EQ(models[1].layers, 6u);
  EXPECT_EQ(models[1].weight_bytes, 7u);
  EXPECT_EQ(models[1].weight_hash, sha256_of("weights"));
  EXPECT_EQ(models[2].name, "zeta");
}

TEST_F(ModelStore, SizesUnderTwoNamesMustAgree) {
  add("m");
  models_.write("m/config.json", R"({"model_type": "distilbert", "n_layers": 6, "num_hidden_layers": 6,
    "dim": 32, "hidden_size": 32})");
  EXPECT_EQ(model_info("m").layers, 6u);
  EXPECT_EQ(model_info("m").hidden, 32u);
  models_.write("m/config.json", R"({"model_type": "distilbert", "n_layers": 6, "num_hidden_layers": 1})");
  EXPECT_ERROR(model_info("m"), ErrorCode::invalid_input,
               "m/config.json: 'num_hidden_layers' is 1 but 'n_layers' is 6, expected one number for both");
  models_.write("m/config.json", R"({"model_type": "distilbert", "dim": 32, "hidden_size": 4096})");
  EXPECT_EQ(list_models().front().problem,
            models_.file("m/config.json") +
                ": 'hidden_size' is 4096 but 'dim' is 32, expected one number for both");
}

TEST_F(ModelStore, SaysWhatAFolderLacks) {
  fs::create_directories(models_.file("m"));
  EXPECT_ERROR(model_info(models_.file("m")), ErrorCode::io, "config.json");
  models_.write("m/config.json", "[]");
  EXPECT_ERROR(model_info("m"), ErrorCode::invalid_input, "config.json: a list, expected a JSON object");
  models_.write("m/config.json", "{}");
  EXPECT_ERROR(model_info("m"), ErrorCode::invalid_input, "no weights: expected model.safetensors");
  models_.write("m/pytorch_model.bin", "");
  EXPECT_EQ(model_info("m").weight_bytes, 0u);
  models_.write("m/model.safetensors.index.json", "{}");
  EXPECT_ERROR(model_info("m"), ErrorCode::invalid_input, "expected a JSON object with a 'weight_map'");
  models_.write("m/model.safetensors.index.json", R"({"weight_map": {"a": "../secret"}})");
  EXPECT_ERROR(model_info("m"), ErrorCode::invalid_input,
               "tensor 'a' is said to be in '../secret', expected a file of this folder");
  models_.write("m/model.safetensors.index.json", R"({"weight_map": {"a": "two\\nlines"}})");
  EXPECT_ERROR(model_info("m"), ErrorCode::invalid_input, "said to be in 'two\\nlines'");
  models_.write("m/model.safetensors.index.json", R"({"weight_map": {"a": "model-1.safetensors"}})");
  EXPECT_ERROR(model_info("m"), ErrorCode::io, "model-1.safetensors");
}

TEST_F(ModelStore, NeverWritesIntoAModelFolder) {
  // A link of that name, in a repository somebody cloned, once had a file of the user overwritten.
  add("m");
  const std::string precious = models_.write("precious", "of the user");
  fs::create_symlink(precious, models_.file("m/.markeval-hash"));
  fs::permissions(models_.file("m"), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(list_models().front().weight_hash, sha256_of("weights"));
  EXPECT_EQ(sha256_of_file(precious), sha256_of("of the user"));
  fs::permissions(models_.file("m"), fs::perms::owner_all);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(models_.file("m"))) ++files;
  EXPECT_EQ(files, 3u);
}

TEST_F(ModelStore, VerifiesAgainstTheOrigin) {
  add("m");
  write_origin(models_.file("m"), {"o/m",
                                   std::string(40, 'a'),
                                   "https://e",
                                   {{"model.safetensors", 7, sha256_of("weights")}, {"gone", 1, "0"}}});
  auto checks = verify_model("m");
  ASSERT_EQ(checks.size(), 2u);
  EXPECT_EQ(checks[0].name, "gone");
  EXPECT_STREQ(checks[0].result, "missing");
  EXPECT_STREQ(checks[1].result, "right");
  add("m", "changed");
  checks = verify_model("m");
  EXPECT_STREQ(checks[1].result, "wrong");
  EXPECT_EQ(checks[1].found, sha256_of("changed"));
  models_.write("m/markeval-origin.json", "{}");
  EXPECT_ERROR(verify_model("m"), ErrorCode::invalid_input, "no list of files");
  models_.write("m/markeval-origin.json", R"({"files": {"../../secret": {"size": 1}}})");
  EXPECT_ERROR(verify_model("m"), ErrorCode::invalid_input, "'../../secret' is no file of this folder");
}

TEST_F(ModelStore, VerifiesTheDefaultModelByItsKnownHash) {
  add(kDefaultModel);
  EXPECT_STREQ(verify_model(kDefaultModel).at(0).result, "wrong");
  add("other");
  EXPECT_STREQ(verify_model("other").at(0).result, "unknown");
}

}  // namespace
}  // namespace markeval::models
