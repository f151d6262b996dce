// Against a hub of our own on 127.0.0.1 that can be told to misbehave.
#include "embed/model_pull.hpp"

#include <gtest/gtest.h>
#include <httplib.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "base/error.hpp"
#include "embed/digest.hpp"
#include "embed/model_store.hpp"
#include "embed/web_address.hpp"
#include "support/environment.hpp"
#include "support/temp_folder.hpp"

namespace markeval::embed {
namespace {

namespace fs = std::filesystem;
const std::string kCommit(40, 'c');

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {(std::istreambuf_iterator<char>(file)), {}};
}

class PullModel : public testing::Test {
 protected:
  PullModel() : weights_(300000, 'w') {
    for (std::size_t index = 0; index < weights_.size(); ++index)
      weights_[index] = static_cast<char>(index * 7919 >> 5);
    listing_ =
        R"({"sha": ")" + kCommit + R"(", "siblings": [)" +
        R"({"rfilename": "config.json", "size": 2, "blobId": "9e26dfeeb6e641a33dae4961196235bdb965b21b"},)" +
        R"({"rfilename": "1_Pooling/config.json", "size": 2, "blobId": "9e26dfeeb6e641a33dae4961196235bdb965b21b"},)" +
        R"({"rfilename": "onnx/model.onnx", "size": 9}, {"rfilename": "../evil/config.json", "size": 2},)" +
        R"({"rfilename": "pytorch_model.bin", "size": 9},)" +
        R"({"rfilename": "model.safetensors", "size": 300000, "blobId": "0", "lfs": {"sha256": ")" +
        sha256_of(weights_) + R"(", "size": 300000}}]})";
    server_.Get("/api/models/owner/tiny/revision/main",
                [this](const httplib::Request& request, httplib::Response& response) {
                  authorization_ = request.get_header_value("Authorization");
                  response.status = listing_status_;
                  if (!hub_code_.empty()) response.set_header("X-Error-Code", hub_code_);
                  response.set_content(listing_, "application/json");
                });
    server_.Get("/owner/tiny/resolve/" + kCommit + "/(.*)",
                [this](const httplib::Request& request, httplib::Response& response) {
                  const std::string name = request.matches[1];
                  if (name == "model.safetensors") return response.set_redirect(weights_address_);
                  response.set_content("{}", "text/plain");
                });
    server_.Get("/cdn/weights", [this](const httplib::Request& request, httplib::Response& response) {
      const std::lock_guard lock(mutex_);
      ranges_.push_back(request.get_header_value("Range"));
      if (breaks_ > 0) {  // promises everything, sends a part, hangs up
        --breaks_;
        const std::size_t start =
            request.ranges.empty() ? 0 : static_cast<std::size_t>(request.ranges[0].first);
        const std::size_t part = sent_before_break_;
        response.set_content_provider(
            weights_.size(), "application/octet-stream",
            [this, start, part](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
              if (offset >= start + part) return false;
              return sink.write(served_.data() + offset, std::min(length, part));
            });
        return;
      }
      if (ignore_ranges_) const_cast<httplib::Request&>(request).ranges.clear();
      response.set_content(served_, "application/octet-stream");
    });
    served_ = weights_;
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
    request_.name = "owner/tiny";
    request_.into = models_.path();
    request_.hub.endpoint = "http://127.0.0.1:" + std::to_string(port_);
    request_.hub.pause_ms = 0;
    request_.hub.attempts = 2;
    request_.hub.timeout_s = 5;
  }
  ~PullModel() override {
    server_.stop();
    thread_.join();
  }
  PullResult pull() { return pull_model(request_, RunContext{pool_}); }
  void expect_whole() {
    EXPECT_EQ(content_of(models_.file("owner/tiny/model.safetensors")), weights_);
    EXPECT_EQ(content_of(models_.file("owner/tiny/config.json")), "{}");
    EXPECT_EQ(content_of(models_.file("owner/tiny/1_Pooling/config.json")), "{}");
  }
  bool nothing_in_place() const { return !fs::exists(models_.file("owner")); }

  std::string weights_, served_, listing_, authorization_, hub_code_;
  std::string weights_address_ = "/cdn/weights";
  int listing_status_ = 200, breaks_ = 0, port_ = 0;
  std::size_t sent_before_break_ = 100000;
  bool ignore_ranges_ = false;
  std::mutex mutex_;
  std::vector<std::string> ranges_;
  httplib::Server server_;
  std::thread thread_;
  TempFolder models_;
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
  for (const FileCheck& check : verify_model("tiny"))
    EXPECT_EQ(check.result, FileCheck::Result::right) << check.name;
}

TEST_F(PullModel, DoesNothingWhereTheCommitIsThere) {
  pull();
  ranges_.clear();
  EXPECT_TRUE(pull().already_there);
  EXPECT_TRUE(ranges_.empty());
}

TEST_F(PullModel, ExchangesAnotherCommit) {
  fs::create_directories(models_.file("owner/tiny"));
  models_.write("owner/tiny/old", "old");
  pull();
  expect_whole();
  EXPECT_FALSE(fs::exists(models_.file("owner/tiny/old")));
}

TEST_F(PullModel, GoesOnWhereTheConnectionBroke) {
  breaks_ = 2;
  pull();
  expect_whole();
  ASSERT_EQ(ranges_.size(), 3u);
  EXPECT_EQ(ranges_[0], "");
  EXPECT_EQ(ranges_[1], "bytes=100000-");
  EXPECT_EQ(ranges_[2], "bytes=200000-");
}

TEST_F(PullModel, GoesOnInALaterRun) {
  breaks_ = 3;
  sent_before_break_ = 0;
  EXPECT_ERROR(pull(), ErrorCode::io, "owner/tiny/model.safetensors: cannot reach");
  EXPECT_TRUE(nothing_in_place());
  breaks_ = 0;
  // What an interrupted run leaves.
  models_.write(".partial/owner tiny@" + kCommit + "/model.safetensors", weights_.substr(0, 1234));
  ranges_.clear();
  pull();
  expect_whole();
  EXPECT_EQ(ranges_, std::vector<std::string>{"bytes=1234-"});
}

TEST_F(PullModel, BeginsAgainWhereTheServerCannotResume) {
  ignore_ranges_ = true;
  fs::create_directories(models_.file(".partial/owner tiny@" + kCommit));
  models_.write(".partial/owner tiny@" + kCommit + "/model.safetensors", "something else");
  pull();
  expect_whole();
}

TEST_F(PullModel, RefusesAWrongChecksum) {
  served_[1000] = static_cast<char>(served_[1000] ^ 1);
  EXPECT_ERROR(
      pull(), ErrorCode::invalid_input,
      "owner/tiny/model.safetensors: sha256 " + sha256_of(served_) + ", expected " + sha256_of(weights_));
  EXPECT_TRUE(nothing_in_place());
  served_ = weights_;
  pull();
  expect_whole();
}

TEST_F(PullModel, RefusesAWrongPartFromAnEarlierRun) {
  fs::create_directories(models_.file(".partial/owner tiny@" + kCommit));
  models_.write(".partial/owner tiny@" + kCommit + "/model.safetensors", std::string(500, 'x'));
  EXPECT_ERROR(pull(), ErrorCode::invalid_input, "pull again");
  pull();
  expect_whole();
}

TEST_F(PullModel, RefusesAWrongSmallFile) {
  listing_.replace(listing_.find("9e26"), 4, "0000");
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
  listing_status_ = 401;
  hub_code_ = "GatedRepo";
  EXPECT_ERROR(pull(), ErrorCode::invalid_input,
               "gated or private (HTTP 401): accept its terms at " + request_.hub.endpoint +
                   "/owner/tiny and set HF_TOKEN");
  hub_code_ = "RepoNotFound";
  EXPECT_ERROR(pull(), ErrorCode::invalid_input,
               "not found at " + request_.hub.endpoint + " (HTTP 401); if it is private");
}

TEST_F(PullModel, SendsTheTokenToTheHub) {
  request_.hub.token = "secret";
  pull();
  EXPECT_EQ(authorization_, "Bearer secret");
}

TEST_F(PullModel, DoesNotSendTheTokenElsewhere) {
  httplib::Server elsewhere;
  std::string seen = "not asked";
  elsewhere.Get("/weights", [&](const httplib::Request& request, httplib::Response& response) {
    seen = request.get_header_value("Authorization");
    response.set_content(weights_, "application/octet-stream");
  });
  const int port = elsewhere.bind_to_any_port("127.0.0.1");
  std::thread thread([&] { elsewhere.listen_after_bind(); });
  while (!elsewhere.is_running()) std::this_thread::yield();
  weights_address_ = "http://127.0.0.1:" + std::to_string(port) + "/weights";
  request_.hub.token = "secret";
  pull();
  elsewhere.stop();
  thread.join();
  expect_whole();
  EXPECT_EQ(seen, "");
}

TEST_F(PullModel, SaysThatTheHubCannotBeReached) {
  server_.stop();
  EXPECT_ERROR(pull(), ErrorCode::io, "cannot reach " + request_.hub.endpoint);
  request_.hub.endpoint = "huggingface.co";
  EXPECT_ERROR(pull(), ErrorCode::usage, "endpoint 'huggingface.co', expected an address");
}

TEST_F(PullModel, RefusesWhatIsNoListing) {
  listing_ = "<html>";
  EXPECT_ERROR(pull(), ErrorCode::invalid_input, "gives no listing with a commit and its files");
  listing_ = R"({"sha": "../../x", "siblings": []})";
  EXPECT_ERROR(pull(), ErrorCode::invalid_input, "gives no listing");
}

TEST_F(PullModel, RefusesNamesThatAreNone) {
  for (const char* name : {"tiny", "../tiny", "owner/../tiny", "owner/.tiny", "a/b/c", "owner/ti ny"}) {
    request_.name = name;
    EXPECT_ERROR(pull(), ErrorCode::usage, "expected OWNER/NAME");
  }
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
  EXPECT_ERROR(needed_files("o/n", {{"config.json", 1, {}, {}}, {"pytorch_model.bin", 1, {}, {}}}),
               ErrorCode::invalid_input, "pytorch_model.bin must be converted");
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
}

TEST(WebAddressTest, SplitsAndEscapes) {
  EXPECT_EQ(split_address("http://a:1/b?c")->host, "http://a:1");
  EXPECT_EQ(split_address("http://a:1/b?c")->path, "/b?c");
  EXPECT_EQ(split_address("https://a")->path, "/");
  EXPECT_FALSE(split_address("ftp://a/"));
  EXPECT_FALSE(split_address("http:///x"));
  EXPECT_FALSE(split_address("a/b"));
  EXPECT_EQ(escape_path("a b/c?.json"), "a%20b/c%3F.json");
  EXPECT_EQ(escape_segment("refs/pr/1"), "refs%2Fpr%2F1");
}

TEST(WebAddressTest, FindsTheProxy) {
  const EnvironmentVariable proxy("https_proxy", "http://proxy.local:3128/");
  const EnvironmentVariable exempt("no_proxy", "example.org, .intern");
  const auto found = proxy_for({"https://huggingface.co", "/"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->first, "proxy.local");
  EXPECT_EQ(found->second, 3128);
  EXPECT_FALSE(proxy_for({"https://127.0.0.1:8080", "/"}));
  EXPECT_FALSE(proxy_for({"https://example.org", "/"}));
  EXPECT_FALSE(proxy_for({"https://a.intern:8443", "/"}));
  EXPECT_TRUE(proxy_for({"https://notexample.org", "/"}));
}

}  // namespace
}  // namespace markeval::embed
