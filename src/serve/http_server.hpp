// Listens at an address, a thread for every connection up to a limit, and passes requests to a handler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "serve/connection.hpp"
#include "serve/http.hpp"

namespace markeval::serve {

struct HttpOptions {
  std::string host;
  std::uint16_t port = 0;  ///< 0: any that is free
  std::size_t connections = 0;
  ConnectionLimits limits{};
};

class HttpServer {
 public:
  /// Binds and listens; clients may connect from now on, but nobody answers before start(). `handler` must
  /// outlive it. Throws Error(io) where the address is not to be had, Error(usage) where it is none.
  HttpServer(const HttpOptions& options, HttpHandler& handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;
  std::size_t open_connections() const;
  void start();
  /// Accepts nobody any more, lets requests that run be answered, and waits for them.
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace markeval::serve
