// Clients beyond the limit of connections. Who asks for a sign of life is let in, all others are refused; no
// thread waits for their first line, so clients that try again and again keep nobody out.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "base/parallel.hpp"

namespace markeval::serve {

/// The path of a GET or HEAD that a client has sent, without taking it from the socket. Empty: it asks for
/// something else, or has left. Absent: the line is not there yet.
std::optional<std::string> path_asked_for(int socket);

class WaitingClients {
 public:
  explicit WaitingClients(FunctionRef<bool(const std::string& path)> wanted) : wanted_(wanted) {
    clients_.reserve(kMost);
  }
  bool empty() const { return clients_.empty(); }
  /// One more. Gives back the one that waited longest where these are too many.
  Descriptor add(Descriptor&& client);
  /// One whose path is wanted; none: all others wait on.
  Descriptor next_wanted();
  /// One that asked for something else, or said nothing for a second; none: all others wait on.
  Descriptor next_refused();

 private:
  static constexpr std::size_t kMost = 32;
  struct WaitingClient {
    Descriptor socket;
    std::chrono::steady_clock::time_point until;
  };
  template <typename Choice>
  Descriptor take(const Choice& choice);

  FunctionRef<bool(const std::string& path)> wanted_;
  std::vector<WaitingClient> clients_;
};

}  // namespace markeval::serve
