// The transport: limits of time and size, connections kept, closed and refused.
#include "serve/http_server.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "serve/raw_client.hpp"

namespace markeval::serve {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Echoes the body; /wait answers when the test lets it, /stream in two pieces.
class EchoHandler : public HttpHandler {
 public:
  std::optional<HttpAnswer> refuse(const HttpRequest& head) override {
    if (head.path != "/refused") return std::nullopt;
    return HttpAnswer{.status = 404, .body = "refused"};
  }
  HttpAnswer answer(HttpRequest& request) override {
    if (request.path == "/throw") throw std::runtime_error("x");
    if (request.path == "/wait") {
      std::unique_lock lock(mutex);
      ++waiting;
      changed.notify_all();
      changed.wait(lock, [&] { return let_go; });
    }
    HttpAnswer answer;
    answer.body = request.method + " " + request.path + " [" + request.body + "]";
    if (request.path == "/stream") {
      answer.stream = [](const PieceWriter& write) {
        write("one ");
        write("two");
      };
    }
    return answer;
  }
  bool make_room(HttpRequest& request, std::size_t bytes) override {
    return request.path != "/full" || request.body.size() + bytes <= 2;
  }
  bool is_sign_of_life(const std::string& path) override { return path == "/health"; }
  HttpAnswer failure(int status) override {
    return {.status = status, .body = "failure " + std::to_string(status)};
  }
  std::vector<std::pair<std::string, std::string>> common_headers(const HttpRequest&) override {
    return {{"X-Common", "yes"}};
  }

  std::mutex mutex;
  std::condition_variable changed;
  int waiting = 0;
  bool let_go = false;
};

class HttpServerTest : public ::testing::Test {
 protected:
  void start(std::chrono::seconds receive = std::chrono::seconds(20), std::size_t connections = 8) {
    HttpOptions options;
    options.host = "127.0.0.1";
    options.connections = connections;
    options.limits = {1024, 4096, receive};
    server_ = std::make_unique<HttpServer>(options, handler_);
    server_->start();
  }
  std::string ask(std::string_view bytes) const {
    const RawClient client(server_->port());
    client.send(bytes);
    return client.receive();
  }

  EchoHandler handler_;
  std::unique_ptr<HttpServer> server_;
};

constexpr std::string_view kGet = "GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

TEST_F(HttpServerTest, AnswersWithTheCommonHeaders) {
  start();
  const std::string answer = ask(kGet);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer, HasSubstr("X-Common: yes\r\n"));
  EXPECT_THAT(answer, HasSubstr("GET /a []"));
}

TEST_F(HttpServerTest, AnswersSeveralRequestsOfOneConnectionSentAtOnce) {
  start();
  const std::string answer =
      ask("POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
          "POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nde\r\n1\r\nf\r\n0\r\n\r\n"
          "DELETE /d HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("POST /b [abc]"));
  EXPECT_THAT(answer, HasSubstr("POST /c [def]"));
  EXPECT_THAT(answer, HasSubstr("DELETE /d []"));
}

TEST_F(HttpServerTest, NeverTakesAnUnreadBodyForTheNextRequest) {
  start();
  const std::string inner = "GET /inner HTTP/1.1\r\nHost: x\r\n\r\n";
  for (const std::string method : {"POST /refused", "GET /a", "DELETE /a"}) {
    const std::string answer =
        ask(method + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(inner.size()) + "\r\n\r\n" +
            inner);
    EXPECT_THAT(answer, Not(HasSubstr("inner"))) << method;
    EXPECT_THAT(answer, HasSubstr("Connection: close")) << method;
  }
}

TEST_F(HttpServerTest, RunsNothingThatLiesInTheBodyOfARequestWithTwoLengths) {
  start();
  const std::string inner = "GET /inner HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  const std::string length = "Content-Length: " + std::to_string(inner.size()) + "\r\n";
  for (const std::string& lines :
       {"Content-Length: 0\r\n" + length, "Content-Length : " + std::to_string(inner.size()) + "\r\n",
        std::string("Transfer-Encoding : chunked\r\nContent-Length: 0\r\n"),
        std::string("no colon\r\nContent-Length: 0\r\n"), "Transfer-Encoding: chunked\r\n" + length}) {
    const std::string answer = ask("POST /a HTTP/1.1\r\nHost: x\r\n" + lines + "\r\n" + inner);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 400")) << lines;
    EXPECT_THAT(answer, Not(HasSubstr("inner"))) << lines;
    EXPECT_THAT(answer, HasSubstr("Connection: close")) << lines;
  }
}

TEST_F(HttpServerTest, RefusesChunksThatDoNotEndWhereTheySay) {
  start();
  const std::string head = "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string inner = "GET /inner HTTP/1.1\r\nHost: x\r\n\r\n";
  for (const char* chunks :
       {"2\r\nab0\r\n\r\n", "2\r\nabc\r\n0\r\n\r\n", "2\nab\r\n0\r\n\r\n", "0\r\nx: y\r\n\r\n"}) {
    const std::string answer = ask(head + chunks + inner);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 400")) << chunks;
    EXPECT_THAT(answer, Not(HasSubstr("inner"))) << chunks;
  }
}

TEST_F(HttpServerTest, RefusesABodyForWhichThereIsNoRoom) {
  start();
  EXPECT_THAT(ask("POST /full HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"),
              StartsWith("HTTP/1.1 429"));
}

TEST_F(HttpServerTest, AnswersSignsOfLifeWhereAllConnectionsAreTaken) {
  start(std::chrono::seconds(20), 1);
  const RawClient first(server_->port());
  first.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
  first.receive("[]");
  EXPECT_THAT(ask("GET /health HTTP/1.1\r\nHost: x\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask(kGet), StartsWith("HTTP/1.1 503"));
}

TEST_F(HttpServerTest, AnswersSignsOfLifeUnderClientsThatTryAgainAndAgain) {
  start(std::chrono::seconds(20), 1);
  const RawClient first(server_->port());
  first.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
  first.receive("[]");
  std::vector<std::unique_ptr<RawClient>> silent;  // more than there are spare places
  for (int i = 0; i < 40; ++i) silent.push_back(std::make_unique<RawClient>(server_->port()));
  for (const auto& one : silent) one->send("GET /a");
  EXPECT_THAT(ask("GET /health HTTP/1.1\r\nHost: x\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  for (int i = 0; i < 40; ++i) {
    EXPECT_THAT(ask(kGet), StartsWith("HTTP/1.1 503"));
    EXPECT_THAT(ask("GET /health HTTP/1.1\r\nHost: x\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  }
}

TEST_F(HttpServerTest, RefusesAHeadBeyondItsLimit) {
  start();
  EXPECT_THAT(ask("GET /a HTTP/1.1\r\nHost: x\r\nLong: " + std::string(1200, 'x') + "\r\n\r\n"),
              StartsWith("HTTP/1.1 431"));
  std::string flood = "GET /a HTTP/1.1\r\nHost: x\r\n";
  for (int i = 0; i < 500; ++i) flood += "H" + std::to_string(i) + ": v\r\n";
  EXPECT_THAT(ask(flood + "\r\n"), StartsWith("HTTP/1.1 431"));
}

TEST_F(HttpServerTest, RefusesABodyBeyondItsLimitHoweverItIsSent) {
  start();
  EXPECT_THAT(ask("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n" + std::string(5000, 'x')),
              StartsWith("HTTP/1.1 413"));
  std::string chunks = "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 100; ++i) chunks += "64\r\n" + std::string(100, 'x') + "\r\n";
  EXPECT_THAT(ask(chunks + "0\r\n\r\n"), StartsWith("HTTP/1.1 413"));
  // The size of a chunk is a line without an end.
  EXPECT_THAT(
      ask("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string(9000, '0')),
      StartsWith("HTTP/1.1 413"));
}

TEST_F(HttpServerTest, HangsUpOnAClientThatSendsItsHeadTooSlowly) {
  start(std::chrono::seconds(1));
  const RawClient client(server_->port());
  ASSERT_TRUE(client.send("GET /a HTTP/1.1\r\nHost: x\r\n"));
  EXPECT_THAT(client.receive(), StartsWith("HTTP/1.1 408"));  // ends: the server has closed
}

TEST_F(HttpServerTest, AByteNowAndThenDoesNotMakeMoreTime) {
  start(std::chrono::seconds(1));
  const RawClient client(server_->port());
  ASSERT_TRUE(client.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 4000\r\n\r\n"));
  std::atomic<bool> closed{false};
  std::thread sender([&] {
    while (!closed && client.send("x")) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  });
  EXPECT_THAT(client.receive(), StartsWith("HTTP/1.1 408"));
  closed = true;
  sender.join();
}

TEST_F(HttpServerTest, RefusesAConnectionBeyondTheLimitAndTakesTheNext) {
  start(std::chrono::seconds(20), 1);
  {
    const RawClient first(server_->port());
    first.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(first.receive("[]"), StartsWith("HTTP/1.1 200"));  // and stays open
    EXPECT_THAT(ask(""), StartsWith("HTTP/1.1 503"));
  }
  while (server_->open_connections() > 0) std::this_thread::yield();
  EXPECT_THAT(ask(kGet), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpServerTest, AsksTheHandlerAboutMethodsTheLibraryDoesNotKnow) {
  start();
  for (const std::string method : {"TRACE", "QUERY"}) {
    const RawClient client(server_->port());
    client.send(method + " /refused?x HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(client.receive(), StartsWith("HTTP/1.1 404")) << method;
  }
}

TEST_F(HttpServerTest, RefusesWhatIsNoHttp) {
  start();
  EXPECT_THAT(ask("\x16\x03\x01 hello\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(ask("BREW /a HTTP/1.1\r\nHost: x\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(ask("GET /" + std::string(1010, 'x') + " HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 431"));
}

TEST_F(HttpServerTest, AnswersAnExceptionWithoutItsText) {
  start();
  const std::string answer = ask("GET /throw HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 500"));
  EXPECT_THAT(answer, HasSubstr("failure 500"));
}

TEST_F(HttpServerTest, IgnoresRanges) {
  start();
  const std::string answer =
      ask("GET /a HTTP/1.1\r\nHost: x\r\nRange: bytes=0-1\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer, HasSubstr("GET /a []"));
}

TEST_F(HttpServerTest, SendsAnAnswerInPieces) {
  start();
  const std::string answer = ask("GET /stream HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("Transfer-Encoding: chunked"));
  EXPECT_THAT(answer, HasSubstr("4\r\none \r\n3\r\ntwo\r\n0\r\n"));
}

TEST_F(HttpServerTest, StopLetsARequestBeAnsweredAndClosesIdleConnections) {
  start();
  const RawClient idle(server_->port());
  idle.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
  idle.receive("[]");
  const RawClient busy(server_->port());
  busy.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  {
    std::unique_lock lock(handler_.mutex);
    handler_.changed.wait(lock, [&] { return handler_.waiting == 1; });
  }
  std::thread stopper([&] { server_->stop(); });
  EXPECT_EQ(idle.receive(), "");  // returns: the server has closed
  {
    const std::lock_guard lock(handler_.mutex);
    handler_.let_go = true;
  }
  handler_.changed.notify_all();
  EXPECT_THAT(busy.receive(), HasSubstr("GET /wait []"));
  stopper.join();
}

TEST_F(HttpServerTest, SaysWhyAnAddressIsNotToBeHad) {
  start();
  HttpOptions options;
  options.host = "127.0.0.1";
  options.port = server_->port();
  try {
    const HttpServer second(options, handler_);
    FAIL() << "two servers at one port";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot listen: Address already in use"));
  }
  options.host = "no such host";
  EXPECT_THROW(HttpServer(options, handler_), Error);
}

}  // namespace
}  // namespace markeval::serve
