// The HTTP listener and the service in one state. Stopping waits for open requests for a limited time, then
// ends their work.
#include "serve/server.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include "serve/http_server.hpp"

namespace markeval::serve {
namespace {

HttpOptions http_options(const ServeSettings& settings) {
  HttpOptions options;
  options.host = settings.host;
  options.port = static_cast<std::uint16_t>(settings.port);
  options.connections = settings.max_connections;
  options.limits.head_bytes = settings.max_head_kib << 10;
  // A body in chunks has more bytes than it carries; the service counts those it carries.
  options.limits.body_bytes = (settings.max_body_mib << 20) + (settings.max_body_mib << 17);
  options.limits.receive = std::chrono::seconds(settings.max_receive_seconds);
  return options;
}

}  // namespace

struct Server::State {
  State(const ServeSettings& given, Log log)
      : settings(given), service(given, std::move(log)), http(http_options(given), service) {
    service.set_connection_count([this] { return http.open_connections(); });
    http.start();
  }

  ServeSettings settings;
  Service service;
  HttpServer http;
  bool stopped = false;
};

Server::Server(const ServeSettings& settings, Log log)
    : state_(std::make_unique<State>(settings, std::move(log))) {}

Server::~Server() {
  stop();
}

std::uint16_t Server::port() const {
  return state_->http.port();
}

bool Server::asks_for_token() const {
  return state_->service.asks_for_token();
}

void Server::load_model() {
  state_->service.load_model();
}

void Server::stop() {
  if (state_->stopped) return;
  state_->stopped = true;
  state_->service.begin_stop();
  std::atomic<bool> all_answered{false};
  std::thread answering;
  try {
    answering = std::thread([&] {
      state_->http.stop();
      all_answered = true;
    });
  } catch (const std::exception&) {  // no thread is to be had: nobody is waited for
    state_->service.end_work();
    return state_->http.stop();
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(state_->settings.max_stop_seconds);
  while (!(all_answered && state_->service.is_idle()) && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  state_->service.end_work();
  answering.join();
}

}  // namespace markeval::serve
