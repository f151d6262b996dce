// A client's socket with limits: how long a head and a body may take to arrive, and how large they may be.
// The HTTP library reads and writes through it, so none of its own habits can hold a thread for long.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/descriptor.hpp"

namespace markeval::serve {

inline constexpr int kIdleSeconds = 30;  ///< between two requests of a client

struct ConnectionLimits {
  std::size_t head_bytes = 0;
  std::size_t body_bytes = 0;
  std::chrono::seconds receive{0};  ///< for the head, and again for the body
};

class Connection {
 public:
  enum class Trouble { none, slow, large_head, large_body, closed };

  /// `stop` becomes readable when the server stops.
  Connection(Descriptor&& socket, int stop, const ConnectionLimits& limits);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// A client that nobody has time for: it has a moment to ask.
  void hurry();
  int socket() const { return socket_.get(); }
  Trouble trouble() const { return trouble_; }
  /// Waits for the first byte of the next request. False: none came, the client left or the server stops.
  bool wait_for_request();
  /// The head is complete: from here on the limits of bodies count.
  void begin_body();
  /// The bytes of the head, as far as they were read.
  const std::string& head() const { return head_; }
  /// As many bytes as there are, at most `size`; 0: the client has closed; -1: see trouble().
  std::ptrdiff_t read(char* out, std::size_t size);
  /// All of it, or -1 where the client takes nothing for too long.
  std::ptrdiff_t write(const char* data, std::size_t size);
  /// Whether anything was sent since the request began.
  bool has_written() const { return has_written_; }
  /// Whether the client has hung up.
  bool client_gone() const;
  /// Tells the client that nothing more comes and reads what it still sends, for a moment: closing a socket
  /// with unread bytes would destroy the answer on its way.
  void linger();
  /// The same without waiting.
  void hang_up();
  /// The end of it, where nothing is left to make an answer of: takes no memory.
  void refuse_without_memory();
  /// For a socket that did not become a connection. Does not wait.
  static void refuse_without_memory(int socket);

 private:
  bool wait_readable(std::chrono::steady_clock::time_point until);

  Descriptor socket_;
  int stop_;
  ConnectionLimits limits_;
  std::chrono::steady_clock::time_point deadline_;
  std::chrono::seconds idle_{kIdleSeconds};
  std::size_t allowed_ = 0;  ///< bytes, of the head or the body
  bool in_body_ = false, has_written_ = false;
  Trouble trouble_ = Trouble::none;
  std::string head_;
  std::array<char, 16384> buffer_;
  std::size_t begin_ = 0, end_ = 0;  ///< of what is in the buffer
};

/// Bound and listening. Throws Error(io) where the address is not to be had, Error(usage) where it is none.
int listening_socket(const std::string& host, std::uint16_t number);

/// HTTP status for a request that did not arrive.
int status_of(Connection::Trouble trouble);

}  // namespace markeval::serve
