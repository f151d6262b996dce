// The server as a whole: listening, answering, stopping.
#pragma once

#include <cstdint>
#include <memory>

#include "serve/service.hpp"
#include "serve/settings.hpp"

namespace markeval::serve {

class Server {
 public:
  /// Listens from now on. Throws Error where the settings are wrong or the address is not to be had.
  Server(const ServeSettings& settings, Log log);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;
  bool asks_for_token() const;
  /// Loads the model where `preload` asks for it. Throws what that throws.
  void load_model();
  /// Takes no more work, lets what runs end for `max_stop_seconds`, then asks it to end. Returns when all
  /// clients have their answers.
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace markeval::serve
