#include "models/web_client.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "base/error.hpp"
#include "support/environment.hpp"
#include "support/temp_folder.hpp"
#include "support/web_server.hpp"

namespace markeval::models {
namespace {

class WebGet : public ::testing::Test {
 protected:
  WebAnswer get(const std::string& address, const std::string& token = "") {
    WebRequest request;
    request.address = address;
    request.token = token;
    request.timeout_s = 5;
    body_.clear();
    return web_get(
        request,
        [this](std::string_view bytes) {
          body_ += bytes;
          return true;
        },
        RunContext{pool_});
  }

  std::string body_;
  ThreadPool pool_{1};
  // Whatever the machine that runs the tests is set to.
  EnvironmentVariable proxies_[3]{{"http_proxy", nullptr}, {"https_proxy", nullptr}, {"all_proxy", nullptr}};
};

std::string redirect_to(const std::string& address) {
  return web_answer(302, "", "Location: " + address + "\r\n");
}

TEST_F(WebGet, GivesStatusHeadersAndBody) {
  WebServer server([](const WebQuestion& question) {
    return question.target == "/a?b" ? web_answer(200, "text", "X-Error-Code:  value \r\n")
                                     : web_answer(404, "no");
  });
  const WebAnswer answer = get(server.address() + "/a?b");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.error_code, "value");
  EXPECT_EQ(body_, "text");
  EXPECT_EQ(get(server.address() + "/c").status, 404);
  EXPECT_EQ(body_, "") << "that of an error";
}

TEST_F(WebGet, AsksForTheRest) {
  int status = 206;
  std::string place = "Content-Range: bytes 5000000000-5000000016/5000000017\r\n";
  WebServer server([&](const WebQuestion& question) {
    return web_answer(status, question.header("Range"), status == 206 ? place : "");
  });
  std::string range;
  const auto rest = [&] {
    WebRequest request;
    request.address = server.address();
    request.offset = 5000000000;
    range.clear();
    const auto take = [&](std::string_view bytes) { return range = bytes, true; };
    return web_get(request, take, RunContext{pool_}).status;
  };
  EXPECT_EQ(rest(), 206);
  EXPECT_EQ(range, "bytes=5000000000-");
  // Another part, and the whole: nothing of it is taken.
  place = "Content-Range: bytes 1-17/5000000017\r\n";
  EXPECT_EQ(rest(), 416);
  EXPECT_EQ(range, "");
  for (const auto& [answered, expected] : {std::pair{200, 416}, {404, 404}, {503, 503}, {416, 416}}) {
    status = answered;
    EXPECT_EQ(rest(), expected);
    EXPECT_EQ(range, "");
  }
}

TEST_F(WebGet, BoundsTheHead) {
  // A status line of 3 MB ended the program once.
  WebServer line([](const WebQuestion&) { return "HTTP/1.1 200 " + std::string(3 << 20, 'x') + "\r\n\r\n"; });
  EXPECT_EQ(get(line.address()).status, 0);
  std::string headers;
  for (int i = 0; i < 3000; ++i) headers += "X-" + std::to_string(i) + ": " + std::string(100, 'x') + "\r\n";
  WebServer many([&](const WebQuestion&) { return web_answer(200, "body", headers); });
  const WebAnswer answer = get(many.address());
  EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(answer.problem, "the head of its answer is longer than 256 KiB");
  EXPECT_EQ(body_, "");
}

TEST_F(WebGet, FollowsTenRedirects) {
  int left = 10;
  WebServer server(
      [&](const WebQuestion&) { return left-- > 0 ? redirect_to("/next") : web_answer(200, "there"); });
  EXPECT_EQ(get(server.address()).status, 200);
  EXPECT_EQ(body_, "there");
  left = 11;
  EXPECT_EQ(get(server.address()).problem, "it redirects more than 10 times");
}

TEST_F(WebGet, SaysWhatIsWrongWithARedirect) {
  std::string target;
  WebServer server([&](const WebQuestion&) { return redirect_to(target); });
  target = "http://127.0.0.1:99999999999999/";
  EXPECT_EQ(get(server.address()).problem, "it redirects to an address that is none");
  target = "file:///etc/passwd";
  EXPECT_EQ(get(server.address()).problem, "it redirects to something else than https");
  EXPECT_FALSE(get(server.address()).may_change) << "such an answer was waited for again and again";
  EXPECT_EQ(body_, "");
}

TEST_F(WebGet, StaysWithTls) {
  const SelfSigned identity;
  TempFolder folder;
  identity.write(folder.file("ca.pem"));
  WebServer plain([](const WebQuestion&) { return web_answer(200, "plain"); });
  std::string target;
  WebServer secure(
      [&](const WebQuestion&) { return target.empty() ? web_answer(200, "secret") : redirect_to(target); },
      &identity);
  {
    const EnvironmentVariable none("CURL_CA_BUNDLE", folder.file("none.pem"));
    EXPECT_EQ(get(secure.address()).problem,
              "the file of trusted certificates cannot be read; the package ca-certificates has one");
  }
  {
    const SelfSigned another;
    another.write(folder.file("another.pem"));
    const EnvironmentVariable untrusted("CURL_CA_BUNDLE", folder.file("another.pem"));
    EXPECT_EQ(get(secure.address()).problem, "its certificate is not trusted here");
  }
  const EnvironmentVariable trusted("CURL_CA_BUNDLE", folder.file("ca.pem"));
  EXPECT_EQ(get(secure.address()).status, 200);
  EXPECT_EQ(body_, "secret");
  target = plain.address();
  EXPECT_EQ(get(secure.address()).problem, "it redirects to something else than https");
  EXPECT_EQ(body_, "");
}

TEST_F(WebGet, SendsTheTokenToItsHostAndOverTlsOnly) {
  const SelfSigned identity;
  TempFolder folder;
  identity.write(folder.file("ca.pem"));
  const EnvironmentVariable trusted("CURL_CA_BUNDLE", folder.file("ca.pem"));
  std::string first, second, target;
  WebServer elsewhere(
      [&](const WebQuestion& question) {
        return second = question.header("Authorization"), web_answer(200, "x");
      },
      &identity);
  WebServer hub(
      [&](const WebQuestion& question) {
        first = question.header("Authorization");
        return redirect_to(elsewhere.address());
      },
      &identity);
  second = "not asked";
  EXPECT_EQ(get(hub.address(), "secret").status, 200);
  EXPECT_EQ(first, "Bearer secret");
  EXPECT_EQ(second, "");
  WebServer plain([&](const WebQuestion& question) {
    return first = question.header("Authorization"), web_answer(200, "x");
  });
  EXPECT_EQ(get(plain.address(), "secret").status, 200);
  EXPECT_EQ(first, "");
}

TEST_F(WebGet, GoesThroughAProxyWithAPassword) {
  WebQuestion seen;
  WebServer proxy([&](const WebQuestion& question) { return seen = question, web_answer(200, "by proxy"); });
  const EnvironmentVariable variable(
      "http_proxy", "http://user:word@" + proxy.address().substr(std::string("http://").size()));
  EXPECT_EQ(get("http://hub.invalid/a").status, 200);
  EXPECT_EQ(seen.target, "http://hub.invalid/a");
  EXPECT_EQ(seen.header("Proxy-Authorization"), "Basic dXNlcjp3b3Jk");
  const EnvironmentVariable exempt("no_proxy", "hub.invalid");
  // Where no name server can be reached, curl waits for one until its time is over.
  const std::string problem = get("http://hub.invalid/a").problem;
  EXPECT_TRUE(problem == "the host is not found, or there is no network" || problem == "no answer in time")
      << problem;
}

TEST_F(WebGet, ThrowsWhatTheSinkThrows) {
  WebServer server([](const WebQuestion&) { return web_answer(200, "x"); });
  WebRequest request;
  request.address = server.address();
  EXPECT_ERROR(web_get(
                   request, [](std::string_view) -> bool { throw_invalid("no more"); }, RunContext{pool_}),
               ErrorCode::invalid_input, "no more");
}

TEST_F(WebGet, StopsWhereNoMoreIsWantedAndWhenCancelled) {
  WebServer server([](const WebQuestion&) { return web_answer(200, std::string(10 << 20, 'x')); });
  WebRequest request;
  request.address = server.address();
  std::size_t got = 0;
  const WebAnswer answer = web_get(
      request, [&](std::string_view bytes) { return got += bytes.size(), false; }, RunContext{pool_});
  EXPECT_EQ(answer.status, 200);
  EXPECT_LT(got, std::size_t{1} << 20);
  std::atomic<bool> cancel{false};
  RunContext context{pool_};
  context.cancel = &cancel;
  EXPECT_ERROR(web_get(
                   request, [&](std::string_view) { return cancel = true; }, context),
               ErrorCode::cancelled, "stopped");
}

TEST_F(WebGet, SaysThatNobodyAnswers) {
  WebServer server([](const WebQuestion&) { return std::string(); });
  const std::string address = server.address();
  EXPECT_EQ(get(address).problem, "the connection broke");
  server.stop();
  EXPECT_EQ(get(address).problem, "no connection");
  EXPECT_EQ(get("gopher://a/").problem, "its address is none");
}

TEST(WebAddressOf, AnAddressOfTheWeb) {
  EXPECT_TRUE(parse_address("https://a.b/c")->encrypted);
  EXPECT_FALSE(parse_address("http://a:1/b?c")->encrypted);
  EXPECT_EQ(parse_address("http://user:word@a:1/b/")->shown, "http://a:1/b");
  for (const char* none : {"", "a", "a/b", "ftp://a/", "http://", "http://a b", "http://a:99999999"})
    EXPECT_FALSE(parse_address(none)) << none;
}

TEST(EscapeSegment, EscapesAllButPlainLetters) {
  EXPECT_EQ(escape_segment("refs/pr/1"), "refs%2Fpr%2F1");
  EXPECT_EQ(escape_segment("a b?\xC3\xA9-._~"), "a%20b%3F%C3%A9-._~");
}

}  // namespace
}  // namespace markeval::models
