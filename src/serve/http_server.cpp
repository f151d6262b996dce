// The only file that knows cpp-httplib. The library parses heads and bodies and writes answers; sockets,
// threads and limits are ours (serve/connection), since the library bounds neither the time nor the size of a
// head.
#include "serve/http_server.hpp"

#include <fmt/format.h>
#include <httplib.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <thread>
#include <utility>

#include "base/descriptor.hpp"
#include "serve/framing.hpp"
#include "serve/memory_reserve.hpp"
#include "serve/open_connections.hpp"
#include "serve/waiting_clients.hpp"

namespace markeval::serve {
namespace {

constexpr std::size_t kMostRequests = 1'000'000;  ///< of one connection
constexpr std::size_t kLongestPath = 1024;        ///< the library matches paths by recursion
constexpr std::size_t kSpareConnections = 8;      ///< beyond the limit, for signs of life
constexpr std::chrono::milliseconds kWaitForRoom{5};
constexpr int kLookMs = 10;  ///< at clients beyond the limit

/// Methods that have a handler below.
constexpr std::array<std::string_view, 7> kMethods{"GET",   "HEAD",   "POST",   "PUT",
                                                   "PATCH", "DELETE", "OPTIONS"};

bool has_handler(const std::string& method) {
  return std::ranges::find(kMethods, method) != kMethods.end();
}

/// The stream the library reads from and writes to.
class SocketStream final : public httplib::Stream {
 public:
  explicit SocketStream(Connection& connection) : connection_(connection) {}
  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t read(char* out, size_t size) override { return connection_.read(out, size); }
  ssize_t write(const char* data, size_t size) override { return connection_.write(data, size); }
  void get_remote_ip_and_port(std::string& ip, int& port) const override { ip.clear(), port = 0; }
  void get_local_ip_and_port(std::string& ip, int& port) const { ip.clear(), port = 0; }
  socket_t socket() const override { return connection_.socket(); }

 private:
  Connection& connection_;
};

/// One request on its way, for the handlers of the library: it runs them on the thread of the connection.
struct Exchange {
  Connection* connection = nullptr;
  bool close = false;  ///< after the answer: the body was not read to its end
  bool spare = false;  ///< all connections are taken: only signs of life are answered
};
thread_local Exchange exchange;

HttpRequest translate(const httplib::Request& from) {
  HttpRequest request;
  request.method = from.method;
  request.path = from.path;
  for (const auto& [name, value] : from.headers) {
    std::string lower = name;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    request.headers.emplace(std::move(lower), value);
  }
  request.client_gone = [connection = exchange.connection] { return connection->client_gone(); };
  return request;
}

bool has_body(const httplib::Request& request) {
  const std::string length = request.get_header_value("Content-Length");
  return request.has_header("Transfer-Encoding") || length.find_first_not_of('0') != std::string::npos;
}

constexpr int kWhole = 200, kNoRoom = 429;

class Library final : public httplib::Server {
 public:
  Library(HttpHandler& handler, int listening_socket) : handler_(handler) {
    svr_sock_ = listening_socket;  // it sends answers in pieces only while it believes to be listening
    const std::string any = "[\\s\\S]*";
    const auto without_body = [this](const httplib::Request& from, httplib::Response& to) {
      // Nobody reads a body of these methods, so the next request would begin in the middle of it.
      if (has_body(from)) exchange.close = true;
      HttpRequest request = translate(from);
      std::optional<HttpAnswer> refusal = handler_.refuse(request);
      send(request, refusal ? std::move(*refusal) : handler_.answer(request), to);
    };
    const auto with_body = [this](const httplib::Request& from, httplib::Response& to,
                                  const httplib::ContentReader&) {
      HttpRequest request = translate(from);
      if (std::optional<HttpAnswer> refusal = handler_.refuse(request)) {
        exchange.close = true;
        return send(request, std::move(*refusal), to);
      }
      int status = kNoRoom;
      try {
        status = read_body(request);
      } catch (const std::bad_alloc&) {
        std::string().swap(request.body);
      }
      if (status != kWhole) {
        exchange.close = true;
        return send(request, handler_.failure(status), to);
      }
      send(request, handler_.answer(request), to);
    };
    Get(any, without_body);
    Options(any, without_body);
    Delete(any, httplib::Server::HandlerWithContentReader(
                    [without_body](const httplib::Request& from, httplib::Response& to,
                                   const httplib::ContentReader&) { without_body(from, to); }));
    Post(any, httplib::Server::HandlerWithContentReader(with_body));
    Put(any, httplib::Server::HandlerWithContentReader(with_body));
    Patch(any, httplib::Server::HandlerWithContentReader(with_body));
    set_pre_routing_handler([this](const httplib::Request& from, httplib::Response& to) {
      const bool too_long = from.path.size() > kLongestPath;
      const bool framed = fault_of_head(exchange.connection->head()).empty();
      const bool no_place = exchange.spare && !handler_.is_sign_of_life(from.path);
      if (framed && !too_long && !no_place && has_handler(from.method)) return HandlerResponse::Unhandled;
      exchange.close = true;
      if (framed && !too_long && !no_place) {
        refuse_method(from, to);
      } else {
        send(translate(from), handler_.failure(!framed ? 400 : too_long ? 414 : 503), to);
      }
      return HandlerResponse::Handled;
    });
    set_keep_alive_timeout(kIdleSeconds);  // only said to clients; serve() below keeps to it
    set_keep_alive_max_count(kMostRequests);
    // What the library refuses itself has no body yet.
    set_error_handler(HandlerWithResponse([this](const httplib::Request& from, httplib::Response& to) {
      if (!to.body.empty() || to.content_provider_) return HandlerResponse::Unhandled;
      exchange.close = true;
      const Connection::Trouble trouble = exchange.connection->trouble();
      const bool reads_like_http = from.target.starts_with('/') && from.version.starts_with("HTTP/1.");
      if (trouble == Connection::Trouble::none && reads_like_http && !has_handler(from.method)) {
        refuse_method(from, to);
        return HandlerResponse::Handled;
      }
      const int status = trouble == Connection::Trouble::none ? to.status : status_of(trouble);
      send(translate(from), handler_.failure(status), to);
      return HandlerResponse::Handled;
    }));
    set_exception_handler(
        [this](const httplib::Request& from, httplib::Response& to, const std::exception_ptr& thrown) {
          exchange.close = true;
          try {
            std::rethrow_exception(thrown);
          } catch (const std::bad_alloc&) {
            send(translate(from), handler_.overload(), to);
          } catch (...) {
            send(translate(from), handler_.failure(500), to);
          }
        });
  }

  /// All requests of a client, one after the other. Takes no memory where there is none.
  void serve(Connection& connection, bool spare, const std::atomic<bool>& stopping) {
    try {
      serve_requests(connection, spare, stopping);
    } catch (const std::exception&) {
      connection.refuse_without_memory();
    }
  }

  /// Without the library. The answer is short enough for the buffer of the kernel, so this does not wait for
  /// the client.
  void send_failure(Connection& connection, const HttpAnswer& answer) {
    std::string text = fmt::format("HTTP/1.1 {} {}\r\nConnection: close\r\n", answer.status,
                                   answer.status == 503 ? "Service Unavailable" : "Refused");
    for (const auto& [name, value] : handler_.common_headers({})) text += name + ": " + value + "\r\n";
    for (const auto& [name, value] : answer.headers) text += name + ": " + value + "\r\n";
    text += fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n\r\n{}", answer.type, answer.body.size(),
                        answer.body);
    connection.write(text.data(), text.size());
  }

 private:
  void serve_requests(Connection& connection, bool spare, const std::atomic<bool>& stopping) {
    SocketStream stream(connection);
    bool unread = false;
    while (!stopping && !unread && connection.wait_for_request()) {
      if (!keep_memory_reserve()) return connection.refuse_without_memory();
      exchange = {&connection, spare, spare};
      bool closed = false;
      const bool answered = next_request(*this, stream, closed);
      unread = exchange.close;
      if (!answered || closed) break;
    }
    exchange = {};
    // Where not even the first line came, the library says nothing.
    const Connection::Trouble trouble = connection.trouble();
    if (!connection.has_written() &&
        (spare || trouble == Connection::Trouble::slow || trouble == Connection::Trouble::large_head)) {
      send_failure(connection, handler_.failure(spare ? 503 : status_of(trouble)));
      unread = true;
    }
    if (unread) connection.linger();
  }

  /// Whether it came whole, or the status of why not. The library's own reader takes chunks that do not end
  /// where they say.
  int read_body(HttpRequest& request) {
    Connection& connection = *exchange.connection;
    std::array<char, 16384> piece;
    const auto next = [&](std::size_t wanted) {
      const auto got = connection.read(piece.data(), std::min(wanted, piece.size()));
      return std::string_view(piece.data(), static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, got)));
    };
    ChunkReader chunks;
    const bool chunked = !request.header("transfer-encoding").empty();
    std::size_t left = 0;  // the head was looked at: a length is a number
    for (const char digit : request.header("content-length"))
      left = left * 10 + static_cast<std::size_t>(digit - '0');
    while (chunked ? !chunks.at_end() : left > 0) {
      const std::string_view bytes = next(chunked ? chunks.wanted() : left);
      if (bytes.empty()) return status_of(connection.trouble());
      if (!handler_.make_room(request, bytes.size())) return kNoRoom;
      if (chunked && !chunks.take(bytes, request.body)) return 400;
      if (!chunked) request.body.append(bytes), left -= bytes.size();
    }
    return kWhole;
  }

  /// Newer versions of the library also want to be told the addresses.
  template <typename Self>
  static bool next_request(Self& self, httplib::Stream& stream, bool& closed) {
    const std::function<void(httplib::Request&)> at_head = [](httplib::Request& request) {
      request.ranges.clear();  // answers are always whole
      exchange.connection->begin_body();
    };
    if constexpr (requires { self.process_request(stream, "", 0, "", 0, false, closed, at_head); }) {
      return self.process_request(stream, "", 0, "", 0, false, closed, at_head);
    } else {
      return self.process_request(stream, false, closed, at_head);
    }
  }

  /// The library calls these no HTTP. The handler knows which methods the path has.
  void refuse_method(const httplib::Request& from, httplib::Response& to) {
    HttpRequest request = translate(from);
    if (request.path.empty()) request.path = from.target.substr(0, from.target.find('?'));
    std::optional<HttpAnswer> refusal = handler_.refuse(request);
    send(request, refusal ? std::move(*refusal) : handler_.failure(400), to);
  }

  void send(const HttpRequest& request, HttpAnswer answer, httplib::Response& to) {
    to.status = answer.status;
    // Who sends a body and is refused may have sent something else than it believes.
    if (answer.status >= 400 && request.method == "POST") exchange.close = true;
    for (const auto& [name, value] : handler_.common_headers(request)) to.set_header(name, value);
    for (const auto& [name, value] : answer.headers) to.set_header(name, value);
    if (exchange.close) to.set_header("Connection", "close");
    if (!answer.stream) return to.set_content(std::move(answer.body), answer.type);
    to.set_chunked_content_provider(
        answer.type, [stream = std::move(answer.stream)](size_t, httplib::DataSink& sink) {
          stream([&](std::string_view piece) {
            return sink.write(piece.data(), piece.size()) && !exchange.connection->client_gone();
          });
          sink.done();
          return true;
        });
  }

  HttpHandler& handler_;
};

}  // namespace

struct HttpServer::State {
  State(const HttpOptions& given, HttpHandler& answering)
      : options(given),
        handler(answering),
        socket(listening_socket(given.host, given.port)),
        stop_event(::eventfd(0, EFD_CLOEXEC)),
        library(handler, socket) {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length);
    port = ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                                               : reinterpret_cast<sockaddr_in&>(address).sin_port);
  }
  ~State() {
    ::close(socket);
    ::close(stop_event);
  }

  void accept_clients() {
    const auto wanted = [this](const std::string& path) { return handler.is_sign_of_life(path); };
    std::optional<WaitingClients> waiting;
    while (!stopping) {
      try {
        if (!waiting) waiting.emplace(wanted);
        accept_client(*waiting);
      } catch (const std::exception&) {  // no memory, whoever says so
        std::this_thread::sleep_for(kWaitForRoom);
      }
    }
  }

  void accept_client(WaitingClients& waiting) {
    while (Descriptor client = waiting.next_refused()) refuse(std::move(client));
    while (Descriptor client = waiting.next_wanted()) take(std::move(client), true);
    std::array<pollfd, 2> wait{{{socket, POLLIN, 0}, {stop_event, POLLIN, 0}}};
    if (::poll(wait.data(), wait.size(), waiting.empty() ? -1 : kLookMs) <= 0 || wait[0].revents == 0) return;
    Descriptor client(::accept4(socket, nullptr, nullptr, SOCK_CLOEXEC));
    // No descriptor left, or a client that left already: the queue of the kernel waits.
    if (!client) return std::this_thread::sleep_for(kWaitForRoom);
    const int on = 1;
    ::setsockopt(client.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (open.count() < options.connections)
      take(std::move(client), false);
    else if (Descriptor oldest = waiting.add(std::move(client)))
      refuse(std::move(oldest));
  }

  void refuse(Descriptor&& client) {
    Connection connection(std::move(client), stop_event, options.limits);
    library.send_failure(connection, handler.failure(503));
    connection.hang_up();
  }

  void take(Descriptor&& client, bool spare) {
    std::shared_ptr<Connection> connection;
    try {
      keep_memory_reserve();  // or the next line may fail
      connection = std::make_shared<Connection>(std::move(client), stop_event, options.limits);
      start_thread(connection, spare);
    } catch (const std::exception&) {
      Connection::refuse_without_memory(connection ? connection->socket() : client.get());
    }
  }

  void start_thread(const std::shared_ptr<Connection>& connection, bool spare) {
    OpenConnections::Seat seat(open);
    if (seat.others() >= options.connections + kSpareConnections)
      return library.send_failure(*connection, handler.failure(503));
    if (spare) connection->hurry();
    try {
      std::thread([this, taken = std::move(seat), mine = connection, spare]() mutable {
        const OpenConnections::Seat left_last = std::move(taken);
        library.serve(*std::exchange(mine, nullptr), spare, stopping);
      }).detach();
    } catch (const std::exception&) {  // the machine has no thread or no memory left
      library.send_failure(*connection, handler.overload());
    }
  }

  HttpOptions options;
  HttpHandler& handler;
  int socket, stop_event;
  Library library;
  std::uint16_t port = 0;
  std::atomic<bool> stopping{false};
  std::thread acceptor;
  OpenConnections open;
};

HttpServer::HttpServer(const HttpOptions& options, HttpHandler& handler)
    : state_(std::make_unique<State>(options, handler)) {}

HttpServer::~HttpServer() {
  stop();
}

std::uint16_t HttpServer::port() const {
  return state_->port;
}

std::size_t HttpServer::open_connections() const {
  return state_->open.count();
}

void HttpServer::start() {
  state_->acceptor = std::thread([this] { state_->accept_clients(); });
}

void HttpServer::stop() {
  state_->stopping = true;
  [[maybe_unused]] const int told = ::eventfd_write(state_->stop_event, 1);
  if (state_->acceptor.joinable()) state_->acceptor.join();
  state_->open.wait_for_end();
}

}  // namespace markeval::serve
