// Against a hub of our own on 127.0.0.1 that can be told to misbehave.
#include "models/pull.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "models/hub.hpp"
#include "models/store.hpp"
#include "support/environment.hpp"
#include "support/temp_folder.hpp"

namespace markeval::models {
namespace {

namespace fs = std::filesystem;

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {(std::istreambuf_iterator<char>(file)), {}};
}

class PullModel : public ::testing::Test {
 protected:
  PullModel() {
    request_.name = "owner/tiny";
    request_.into = models_.path();
    request_.hub.endpoint = hub_.server.address();
    request_.hub.pause_ms = 0;
    request_.hub.attempts = 2;
    request_.hub.timeout_s = 5;
  }
  PullResult pull() { return pull_model(request_, RunContext{pool_}); }
  void expect_whole() {
    EXPECT_EQ(content_of(models_.file("owner/tiny/model.safetensors")), hub_.weights);
    EXPECT_EQ(content_of(models_.file("owner/tiny/config.json")), "{}");
    EXPECT_EQ(content_of(models_.file("owner/tiny/1_Pooling/config.json")), "{}");
  }
  bool nothing_in_place() const { return !fs::exists(models_.file("owner")); }
  std::string partial(const std::string& file) const {
    const std::string folder = ".partial/owner tiny@" + kCommit;
    fs::create_directories(models_.file(folder));
    return folder + "/" + file;
  }

  TestHub hub_;
  TempFolder models_, cache_;
  EnvironmentVariable cache_place_{"MARKEVAL_CACHE", cache_.path()};
  ThreadPool pool_{1};
  PullRequest request_;
};

TEST_F(PullModel, BringsTheNeededFilesAndNoOthers) {
  const PullResult result = pull();
  EXPECT_EQ(result.revision, kCommit);
  EXPECT_EQ(result.folder, models_.file("owner/tiny"));
  EXPECT_FALSE(result.already_there);
  expect_whole();
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(models_.file("owner/tiny")))
    files += entry.is_regular_file();
  EXPECT_EQ(files, 4u) << "three of the hub, one of ours";
  const auto origin = read_origin(models_.file("owner/tiny"));
  ASSERT_TRUE(origin);
  EXPECT_EQ(origin->revision, kCommit);
  EXPECT_EQ(origin->repository, "owner/tiny");
  const EnvironmentVariable place("MARKEVAL_MODELS", models_.path());
  for (const FileCheck& check : verify_model("tiny")) EXPECT_STREQ(check.result, "right") << check.name;
}

TEST_F(PullModel, DoesNothingWhereTheCommitIsThere) {
  pull();
  hub_.ranges.clear();
  EXPECT_TRUE(pull().already_there);
  EXPECT_TRUE(hub_.ranges.empty());
}

TEST_F(PullModel, ExchangesAnotherCommit) {
  fs::create_directories(models_.file("owner/tiny"));
  models_.write("owner/tiny/old", "old");
  pull();
  expect_whole();
  EXPECT_FALSE(fs::exists(models_.file("owner/tiny/old")));
}

TEST_F(PullModel, GoesOnWhereTheConnectionBroke) {
  hub_.breaks = 2;
  pull();
  expect_whole();
  ASSERT_EQ(hub_.ranges.size(), 3u);
  EXPECT_EQ(hub_.ranges[0], "");
  EXPECT_EQ(hub_.ranges[1], "bytes=100000-");
  EXPECT_EQ(hub_.ranges[2], "bytes=200000-");
}

TEST_F(PullModel, GoesOnInALaterRun) {
  hub_.breaks = 3;
  hub_.sent_before_break = 0;
  EXPECT_ERROR(pull(), ErrorCode::io, "owner/tiny/model.safetensors: cannot reach");
  EXPECT_TRUE(nothing_in_place());
  hub_.breaks = 0;
  // What an interrupted run leaves.
  models_.write(partial("model.safetensors"), hub_.weights.substr(0, 1234));
  hub_.ranges.clear();
  pull();
  expect_whole();
  EXPECT_EQ(hub_.ranges, std::vector<std::string>{"bytes=1234-"});
}

TEST_F(PullModel, BeginsAgainWhereTheServerCannotResume) {
  hub_.ignores_ranges = true;
  models_.write(partial("model.safetensors"), "something else");
  pull();
  expect_whole();
}

TEST_F(PullModel, RefusesAWrongChecksum) {
  hub_.served[1000] = static_cast<char>(hub_.served[1000] ^ 1);
  EXPECT_ERROR(pull(), ErrorCode::invalid_input,
               "owner/tiny/model.safetensors: sha256 " + sha256_of(hub_.served) + ", expected " +
                   sha256_of(hub_.weights));
  EXPECT_TRUE(nothing_in_place());
  hub_.served = hub_.weights;
  pull();
  expect_whole();
}

TEST_F(PullModel, RefusesAWrongPartFromAnEarlierRun) {
  models_.write(partial("model.safetensors"), std::string(500, 'x'));
  EXPECT_ERROR(pull(), ErrorCode::invalid_input, "pull again");
  pull();
  expect_whole();
}

TEST_F(PullModel, RefusesAWrongSmallFile) {
  hub_.listing.replace(hub_.listing.find("9e26"), 4, "0000");
  EXPECT_ERROR(pull(), ErrorCode::invalid_input,
               "git id 9e26dfeeb6e641a33dae4961196235bdb965b21b, expected 0000dfee");
  EXPECT_TRUE(nothing_in_place());
}

TEST_F(PullModel, SaysWhatDoesNotExist) {
  request_.name = "owner/typo";
  EXPECT_ERROR(pull(), ErrorCode::invalid_input,
               "owner/typo at revision main: not found at " + request_.hub.endpoint);
  request_.name = "owner/tiny";
  request_.revision = "v9";
  EXPECT_ERROR(pull(), ErrorCode::invalid_input, "owner/tiny at revision v9: not found");
  EXPECT_TRUE(nothing_in_place());
}

TEST_F(PullModel, SaysHowToGetAGatedModel) {
  hub_.listing_status = 401;
  hub_.listing_headers = "X-Error-Code: GatedRepo\r\n";
  EXPECT_ERROR(pull(), ErrorCode::invalid_input,
               "gated or private (HTTP 401): accept its terms at " + request_.hub.endpoint +
                   "/owner/tiny and set HF_TOKEN");
  hub_.listing_headers = "X-Error-Code: RepoNotFound\r\n";
  EXPECT_ERROR(pull(), ErrorCode::invalid_input,
               "not found at " + request_.hub.endpoint + " (HTTP 401); if it is private");
}

TEST_F(PullModel, SaysThatTheHubCannotBeReached) {
  hub_.server.stop();
  EXPECT_ERROR(pull(), ErrorCode::io, "cannot reach " + request_.hub.endpoint);
  request_.hub.endpoint = "huggingface.co";
  EXPECT_ERROR(pull(), ErrorCode::usage, "endpoint 'huggingface.co', expected an address");
}

TEST_F(PullModel, RefusesWhatIsNoListing) {
  hub_.listing = "<html>";
  EXPECT_ERROR(pull(), ErrorCode::invalid_input,
               "owner/tiny at revision main: the listing of " + request_.hub.endpoint + ": not JSON: ");
  hub_.listing = std::string(200000, '[');
  EXPECT_ERROR(pull(), ErrorCode::invalid_input, "101 levels of JSON, more than 100");
  hub_.listing = R"({"sha": "../../x", "siblings": []})";
  EXPECT_ERROR(pull(), ErrorCode::invalid_input, "gives no listing");
}

TEST_F(PullModel, RefusesNamesThatAreNone) {
  for (const char* name : {"tiny", "../tiny", "owner/../tiny", "owner/.tiny", "a/b/c", "owner/ti ny"}) {
    request_.name = name;
    EXPECT_ERROR(pull(), ErrorCode::usage, "expected OWNER/NAME");
  }
}

TEST_F(PullModel, RefusesFilesWithoutAChecksum) {
  const std::string whole = hub_.listing;
  hub_.listing.replace(hub_.listing.find(R"(, "blobId": "9e26)"), 54, "");
  EXPECT_ERROR(pull(), ErrorCode::invalid_input,
               "owner/tiny: " + request_.hub.endpoint + " lists no checksum of config.json");
  hub_.listing = whole;
  hub_.listing.replace(hub_.listing.find("sha256"), 6, "sha512");
  EXPECT_ERROR(pull(), ErrorCode::invalid_input, "lists no checksum of model.safetensors");
  EXPECT_TRUE(nothing_in_place());
  request_.require_checksums = false;
  pull();
  expect_whole();
}

TEST_F(PullModel, DoesNotFollowALinkInItsOwnFolder) {
  const std::string precious = models_.write("precious", "x");
  fs::create_symlink(precious, models_.file(partial("config.json")));
  EXPECT_ERROR(pull(), ErrorCode::io, "config.json");
  EXPECT_EQ(content_of(precious), "x");
}

TEST_F(PullModel, TwoAtOnceBringOneModel) {
  std::vector<std::thread> threads;
  std::atomic<int> fetched{0};
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      ThreadPool pool(1);
      if (!pull_model(request_, RunContext{pool}).already_there) ++fetched;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(fetched, 1);
  expect_whole();
}

TEST_F(PullModel, StopsOnRequest) {
  std::atomic<bool> cancel{true};
  RunContext context{pool_};
  context.cancel = &cancel;
  EXPECT_ERROR(pull_model(request_, context), ErrorCode::cancelled, "stopped");
  EXPECT_TRUE(nothing_in_place());
}

TEST(NeededFiles, AreAskedForByName) {
  EXPECT_ERROR(needed_files("o/n", {{"README.md", 1, {}, {}}}), ErrorCode::invalid_input, "no config.json");
  EXPECT_ERROR(needed_files("o/n", {{"config.json", 1, {}, {}}, {"model.onnx", 1, {}, {}}}),
               ErrorCode::invalid_input, "neither model.safetensors nor pytorch_model.bin");
  const auto sharded = needed_files("o/n", {{"config.json", 1, {}, {}},
                                            {"model.safetensors.index.json", 2, {}, {}},
                                            {"model-00001-of-00002.safetensors", 4, {}, {}},
                                            {"other.safetensors", 3, {}, {}},
                                            {"2_Dense/model.safetensors", 5, {}, {}},
                                            {"openvino/config.json", 6, {}, {}}});
  std::string names;
  for (const HubFile& file : sharded) names += file.name + " ";
  EXPECT_EQ(
      names,
      "config.json model.safetensors.index.json model-00001-of-00002.safetensors 2_Dense/model.safetensors ");
  const auto torch = needed_files("o/n", {{"config.json", 1, {}, {}}, {"pytorch_model.bin", 2, {}, {}}});
  ASSERT_EQ(torch.size(), 2u);
  EXPECT_EQ(torch.back().name, "pytorch_model.bin");
  const auto torch_shards = needed_files("o/n", {{"config.json", 1, {}, {}},
                                                 {"pytorch_model.bin.index.json", 2, {}, {}},
                                                 {"pytorch_model-00001-of-00001.bin", 3, {}, {}},
                                                 {"training_args.bin", 4, {}, {}}});
  EXPECT_EQ(torch_shards.size(), 3u);
}

}  // namespace
}  // namespace markeval::models
