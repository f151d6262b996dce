// Who may ask: tokens, the name of the host, pages of other origins.
#include "serve/access.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.hpp"
#include "support/temp_folder.hpp"

namespace markeval::serve {
namespace {

HttpRequest with(const std::string& header, const std::string& value,
                 const std::string& host = "localhost:8080") {
  HttpRequest request;
  request.headers = {{"host", host}, {header, value}};
  return request;
}

class AccessTest : public ::testing::Test {
 protected:
  Access with_token(const std::string& content) {
    ServeSettings settings;
    settings.token_file = folder_.write("token", content);
    return Access(settings);
  }
  TempFolder folder_;
};

TEST_F(AccessTest, WantsExactlyTheTokenOfTheFile) {
  const Access access = with_token("  0123456789abcdef \nsecond line\n");
  EXPECT_FALSE(access.refuse(with("authorization", "Bearer 0123456789abcdef"), false));
  for (const char* wrong : {"", "Bearer ", "Bearer 0123456789abcde", "Bearer 0123456789abcdef0",
                            "0123456789abcdef", "Basic 0123456789abcdef", "Bearer 0123456789abcdeF"}) {
    const auto refusal = access.refuse(with("authorization", wrong), false);
    ASSERT_TRUE(refusal) << wrong;
    EXPECT_EQ(refusal->status, 401) << wrong;
  }
  EXPECT_FALSE(access.refuse(with("x", ""), true));  // a route for everybody
}

TEST_F(AccessTest, RefusesATokenThatIsTooShortAndAFileThatIsNotThere) {
  EXPECT_THROW(with_token("short\n"), Error);
  EXPECT_THROW(with_token(""), Error);
  ServeSettings settings;
  settings.token_file = folder_.file("missing");
  EXPECT_THROW(Access{settings}, Error);
}

TEST_F(AccessTest, ReadsTheTokenOfTheEnvironment) {
  ::setenv("MARKEVAL_TOKEN", "fedcba9876543210", 1);
  const Access access{ServeSettings{}};
  ::unsetenv("MARKEVAL_TOKEN");
  EXPECT_TRUE(access.asks_for_token());
  EXPECT_FALSE(access.refuse(with("authorization", "Bearer fedcba9876543210"), false));
}

TEST_F(AccessTest, OfALocalServerIsForTheNamesOfThisMachine) {
  const Access access{ServeSettings{}};
  for (const char* host : {"localhost", "localhost:8080", "localhost:", "127.0.0.1:1", "[::1]:8080"})
    EXPECT_FALSE(access.refuse(with("x", "", host), false)) << host;
  for (const char* host :
       {"", "evil.example", "127.evil.example", "localhost.evil.example:8080", "localhost:0",
        "localhost:65536", "localhost:8080@evil.example", "[::1]x", "[::1]:x"}) {
    const auto refusal = access.refuse(with("x", "", host), false);
    ASSERT_TRUE(refusal) << host;
    EXPECT_EQ(refusal->status, 403) << host;
  }
}

TEST_F(AccessTest, OtherMachinesComeInWithATokenOrWhereThatIsNotWanted) {
  ServeSettings settings;
  settings.host = "0.0.0.0";
  EXPECT_ERROR(Access{settings}, ErrorCode::usage, "--host 0.0.0.0 lets other machines use the server");
  settings.no_token = true;
  settings.hosts = {"scores.example"};
  const Access access(settings);
  for (const char* host :
       {"localhost", "192.168.0.7:8080", "[fe80::1]:8080", "scores.example:8080", "Scores.Example"})
    EXPECT_FALSE(access.refuse(with("x", "", host), false)) << host;
  for (const char* host : {"", "evil.example", "192.168.0.7.evil.example"})
    EXPECT_TRUE(access.refuse(with("x", "", host), false)) << host;
  settings.token_file = folder_.write("token", "0123456789abcdef");
  EXPECT_ERROR(Access{settings}, ErrorCode::usage, "--no-token and a token");
}

TEST_F(AccessTest, NamesOnlyOriginsThatAreListed) {
  ServeSettings settings;
  settings.origins = {"https://good.example"};
  const Access access(settings);
  EXPECT_TRUE(access.origin_headers(with("origin", "https://evil.example")).empty());
  EXPECT_TRUE(access.origin_headers(with("x", "")).empty());
  EXPECT_THAT(access.origin_headers(with("origin", "https://good.example")),
              ::testing::Contains(::testing::Pair("Access-Control-Allow-Origin", "https://good.example")));
}

}  // namespace
}  // namespace markeval::serve
