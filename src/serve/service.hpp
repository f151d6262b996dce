// What the server answers: finds the route of a request, checks who asks, and hands work to the lanes.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "serve/access.hpp"
#include "serve/body_reader.hpp"
#include "serve/counters.hpp"
#include "serve/http.hpp"
#include "serve/jobs.hpp"
#include "serve/lanes.hpp"
#include "serve/routes.hpp"
#include "serve/settings.hpp"

namespace markeval::serve {

/// Told a line for every request: route, status, time. Never a word of a client's text.
using Log = std::function<void(const std::string& line)>;

class Service final : public HttpHandler {
 public:
  /// Throws Error where the settings are wrong: a token file that is not there, ...
  Service(const ServeSettings& settings, Log log);

  ~Service() override;

  std::optional<HttpAnswer> refuse(const HttpRequest& head) override;
  HttpAnswer answer(HttpRequest& request) override;
  bool make_room(HttpRequest& request, std::size_t bytes) override {
    return request.bytes.take(bytes_, bytes);
  }
  bool is_sign_of_life(const std::string& path) override;
  HttpAnswer failure(int status) override;
  HttpAnswer overload() override;
  std::vector<std::pair<std::string, std::string>> common_headers(const HttpRequest& request) override;

  bool asks_for_token() const { return access_.asks_for_token(); }
  /// Loads the model where that was asked for; /ready tells when it is there. Throws what loading throws.
  void load_model();
  /// From now on work is refused and /ready says no. What runs may end.
  void begin_stop();
  /// Nothing is being worked on.
  bool is_idle() const { return lanes_.are_idle(); }
  /// What still runs is asked to end.
  void end_work();
  /// Connections that are open, for /metrics.
  void set_connection_count(std::function<std::size_t()> count) { connection_count_ = std::move(count); }

 private:
  std::optional<HttpAnswer> refuse_body(const HttpRequest& head) const;
  HttpAnswer route(const RouteMatch& match, HttpRequest& request);
  HttpAnswer work(WorkKind kind, HttpRequest& request);
  HttpAnswer texts(HttpRequest& request);
  HttpAnswer wait_for(const std::shared_ptr<LaneTask>& task, const HttpRequest& request);
  std::string info();
  std::string counters();
  std::optional<HttpAnswer> refuse_work() const;
  void tell(const HttpRequest& request, std::size_t bytes_in, const HttpAnswer& answer,
            std::chrono::steady_clock::time_point began);

  ServeSettings settings_;
  Log log_;
  Access access_;
  Counters counters_;
  ByteBudget bytes_;  ///< of bodies that arrive, wait and run
  BodyReader bodies_;
  Lanes lanes_;
  Jobs jobs_;
  std::function<std::size_t()> connection_count_;
  std::string info_;  ///< the answer of /info, made while there is memory
  std::atomic<bool> ready_, stopping_{false};
};

}  // namespace markeval::serve
