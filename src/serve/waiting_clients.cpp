// The first bytes of a client are looked at where they lie, again and again until the line is there.
#include "serve/waiting_clients.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

namespace markeval::serve {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPatience{1};

}  // namespace

std::optional<std::string> path_asked_for(int socket) {
  std::array<char, 128> bytes;
  const ssize_t got = ::recv(socket, bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  if (got <= 0) return std::string();
  const std::string_view line(bytes.data(), static_cast<std::size_t>(got));
  for (const std::string_view method : {"GET ", "HEAD "}) {
    if (line.size() < method.size() && method.starts_with(line)) return std::nullopt;
    if (!line.starts_with(method)) continue;
    const std::size_t end = line.find_first_of(" ?\r\n", method.size());
    if (end != std::string_view::npos) return std::string(line.substr(method.size(), end - method.size()));
    return line.size() < bytes.size() ? std::nullopt : std::optional<std::string>("");
  }
  return std::string();
}

Descriptor WaitingClients::add(Descriptor&& client) {
  Descriptor oldest;
  if (clients_.size() == kMost) {
    oldest = std::move(clients_.front().socket);
    clients_.erase(clients_.begin());
  }
  clients_.push_back({std::move(client), Clock::now() + kPatience});
  return oldest;
}

template <typename Choice>
Descriptor WaitingClients::take(const Choice& choice) {
  const auto found = std::ranges::find_if(clients_, choice);
  if (found == clients_.end()) return Descriptor();
  Descriptor socket = std::move(found->socket);
  clients_.erase(found);
  return socket;
}

Descriptor WaitingClients::next_wanted() {
  return take([&](const WaitingClient& client) {
    const std::optional<std::string> path = path_asked_for(client.socket.get());
    return path && wanted_(*path);
  });
}

Descriptor WaitingClients::next_refused() {
  return take([&](const WaitingClient& client) {
    const std::optional<std::string> path = path_asked_for(client.socket.get());
    return path ? !wanted_(*path) : Clock::now() > client.until;
  });
}

}  // namespace markeval::serve
