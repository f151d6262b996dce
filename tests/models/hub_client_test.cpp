#include "models/hub_client.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "models/hub.hpp"
#include "support/environment.hpp"
#include "support/temp_folder.hpp"

namespace markeval::models {
namespace {

struct Warnings : LogSink {
  void info(const std::string&) override {}
  void warning(const std::string& message) override { messages.push_back(message); }
  std::vector<std::string> messages;
};

class HubClientOf : public ::testing::Test {
 protected:
  HubOptions options(const std::string& endpoint) const {
    HubOptions options;
    options.endpoint = endpoint;
    options.pause_ms = 0;
    options.attempts = 2;
    options.timeout_s = 5;
    return options;
  }
  HubFile weights(const TestHub& hub) const {
    return {"model.safetensors", hub.weights.size(), sha256_of(hub.weights), {}};
  }

  ThreadPool pool_{1};
  Warnings warnings_;
  RunContext context_{pool_, nullptr, &warnings_, nullptr};
  TempFolder folder_;
};

TEST_F(HubClientOf, ATokenIsSentOverTlsOnly) {
  const SelfSigned identity;
  identity.write(folder_.file("ca.pem"));
  const EnvironmentVariable trusted("CURL_CA_BUNDLE", folder_.file("ca.pem"));
  TestHub secure(&identity);
  HubOptions with_token = options(secure.server.address());
  with_token.token = "secret\n";
  HubClient(with_token, context_).revision("owner/tiny", "main");
  EXPECT_EQ(secure.authorizations, std::vector<std::string>{"Bearer secret"});
  EXPECT_TRUE(warnings_.messages.empty());
  TestHub plain;
  with_token.endpoint = plain.server.address();
  HubClient(with_token, context_).revision("owner/tiny", "main");
  EXPECT_EQ(plain.authorizations, std::vector<std::string>{""});
  ASSERT_EQ(warnings_.messages.size(), 1u);
  EXPECT_EQ(warnings_.messages[0],
            "HF_TOKEN is not sent: " + plain.server.address() + " is not encrypted, expected https://");
}

TEST_F(HubClientOf, AnEndpointWithAPasswordShowsNone) {
  TestHub hub;
  const std::string with_password = "http://user:word@" + hub.server.address().substr(7) + "/";
  EXPECT_EQ(HubClient(options(with_password), context_).revision("owner/tiny", "main").endpoint,
            hub.server.address());
}

TEST_F(HubClientOf, AListingIsBounded) {
  TestHub hub;
  hub.listing = std::string(17 << 20, ' ');
  EXPECT_ERROR(HubClient(options(hub.server.address()), context_).revision("owner/tiny", "main"),
               ErrorCode::invalid_input, "is longer than 16 MiB");
}

TEST_F(HubClientOf, AFileLongerThanListedIsCutAndRefused) {
  TestHub hub;
  hub.served += std::string(5 << 20, 'x');
  const std::string path = folder_.file("w");
  EXPECT_ERROR(
      HubClient(options(hub.server.address()), context_).download("owner/tiny", kCommit, weights(hub), path),
      ErrorCode::invalid_input, "expected 300000; the file was removed");
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(HubClientOf, AFileShorterThanListedIsNamed) {
  TestHub hub;
  HubFile file = weights(hub);
  file.size += 5;
  EXPECT_ERROR(HubClient(options(hub.server.address()), context_)
                   .download("owner/tiny", kCommit, file, folder_.file("w")),
               ErrorCode::io, "has 300000 bytes of it, its listing says 300005");
}

TEST_F(HubClientOf, APartFromElsewhereIsNotAppended) {
  TestHub hub;
  hub.misplaces_ranges = true;
  const std::string path = folder_.write("w", hub.weights.substr(0, 1000));
  HubClient(options(hub.server.address()), context_).download("owner/tiny", kCommit, weights(hub), path);
  EXPECT_EQ(hub.ranges, (std::vector<std::string>{"bytes=1000-", ""}));
  EXPECT_EQ(sha256_of_file(path), sha256_of(hub.weights));
}

// Each attempt brings something, but never more than the first one did.
TEST_F(HubClientOf, AServerThatCannotResumeIsNotAskedForEver) {
  TestHub hub;
  hub.ignores_ranges = true;
  hub.breaks = 100;
  EXPECT_ERROR(HubClient(options(hub.server.address()), context_)
                   .download("owner/tiny", kCommit, weights(hub), folder_.file("w")),
               ErrorCode::io,
               "owner/tiny/model.safetensors: " + hub.server.address() +
                   ": the connection broke after 100000 of 300000 bytes; pull again");
  EXPECT_GT(hub.breaks, 90);
}

TEST_F(HubClientOf, ARedirectToNowhereIsNamed) {
  TestHub hub;
  hub.weights_address = "http://127.0.0.1:99999999999999/";
  EXPECT_ERROR(HubClient(options(hub.server.address()), context_)
                   .download("owner/tiny", kCommit, weights(hub), folder_.file("w")),
               ErrorCode::io,
               "owner/tiny/model.safetensors: cannot reach " + hub.server.address() +
                   ": it redirects to an address that is none");
}

}  // namespace
}  // namespace markeval::models
