// poll() before each read and write, with deadlines for head, body and idle time.
#include "serve/connection.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace markeval::serve {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kSendStep{20};  ///< in which a client must take something
constexpr std::chrono::milliseconds kLinger{500};

/// Short enough for the buffer of the kernel.
constexpr std::string_view kNoMemory =
    "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\nCache-Control: no-store\r\n"
    "X-Content-Type-Options: nosniff\r\nContent-Type: application/json\r\nContent-Length: 129\r\n\r\n"
    R"({"error":"the server has no memory left for this request","type":"unavailable",)"
    R"("hint":"Other requests hold it: try again soon."})"
    "\n";
static_assert(kNoMemory.size() - kNoMemory.find('{') == 129);

/// Milliseconds for poll(), rounded up; 0 where the time is over.
int milliseconds_until(Clock::time_point end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
  return static_cast<int>(std::max<std::chrono::milliseconds::rep>(0, left.count()));
}

}  // namespace

int status_of(Connection::Trouble trouble) {
  switch (trouble) {
    case Connection::Trouble::slow:
      return 408;
    case Connection::Trouble::large_head:
      return 431;
    case Connection::Trouble::large_body:
      return 413;
    default:
      return 400;
  }
}

Connection::Connection(Descriptor&& socket, int stop, const ConnectionLimits& limits)
    : socket_(std::move(socket)), stop_(stop), limits_(limits) {}

void Connection::hurry() {
  idle_ = limits_.receive = std::chrono::seconds(1);
}

bool Connection::wait_for_request() {
  in_body_ = has_written_ = false;
  allowed_ = limits_.head_bytes;
  trouble_ = Trouble::none;
  head_.clear();
  if (begin_ == end_) {
    std::array<pollfd, 2> wait{{{socket_.get(), POLLIN, 0}, {stop_, POLLIN, 0}}};
    const int ready = ::poll(wait.data(), wait.size(), milliseconds_until(Clock::now() + idle_));
    if (ready <= 0 || wait[0].revents == 0) return false;
  }
  deadline_ = Clock::now() + limits_.receive;
  return true;
}

void Connection::begin_body() {
  in_body_ = true;
  allowed_ = limits_.body_bytes;
  deadline_ = Clock::now() + limits_.receive;
}

bool Connection::wait_readable(Clock::time_point until) {
  pollfd wait{socket_.get(), POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&wait, 1, milliseconds_until(until));
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

std::ptrdiff_t Connection::read(char* out, std::size_t size) {
  if (trouble_ != Trouble::none) return -1;
  if (allowed_ == 0) {
    trouble_ = in_body_ ? Trouble::large_body : Trouble::large_head;
    return -1;
  }
  if (begin_ == end_) {
    // Also where bytes are there: one by one they would come for ever.
    if (Clock::now() >= deadline_ || !wait_readable(deadline_)) {
      trouble_ = Trouble::slow;
      return -1;
    }
    const ssize_t got = ::recv(socket_.get(), buffer_.data(), buffer_.size(), 0);
    if (got <= 0) {
      trouble_ = Trouble::closed;
      return got;
    }
    begin_ = 0;
    end_ = static_cast<std::size_t>(got);
  }
  const std::size_t count = std::min({size, end_ - begin_, allowed_});
  std::memcpy(out, buffer_.data() + begin_, count);
  begin_ += count;
  allowed_ -= count;
  if (!in_body_) head_.append(out, count);
  return static_cast<std::ptrdiff_t>(count);
}

std::ptrdiff_t Connection::write(const char* data, std::size_t size) {
  has_written_ = true;
  std::size_t sent = 0;
  while (sent < size) {
    pollfd wait{socket_.get(), POLLOUT, 0};
    const int ready = ::poll(&wait, 1, milliseconds_until(Clock::now() + kSendStep));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return -1;
    const ssize_t taken = ::send(socket_.get(), data + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (taken < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (taken <= 0) return -1;
    sent += static_cast<std::size_t>(taken);
  }
  return static_cast<std::ptrdiff_t>(size);
}

bool Connection::client_gone() const {
  pollfd wait{socket_.get(), POLLIN | POLLRDHUP, 0};
  if (::poll(&wait, 1, 0) <= 0) return false;
  if ((wait.revents & (POLLHUP | POLLERR)) != 0) return true;
  char one = 0;
  return ::recv(socket_.get(), &one, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

void Connection::linger() {
  ::shutdown(socket_.get(), SHUT_WR);
  const Clock::time_point end = Clock::now() + kLinger;
  while (Clock::now() < end && wait_readable(end)) {
    if (::recv(socket_.get(), buffer_.data(), buffer_.size(), 0) <= 0) return;
  }
}

void Connection::hang_up() {
  ::shutdown(socket_.get(), SHUT_WR);
  for (int part = 0; part < 64 && ::recv(socket_.get(), buffer_.data(), buffer_.size(), MSG_DONTWAIT) > 0;)
    ++part;
}

void Connection::refuse_without_memory() {
  if (!has_written_) write(kNoMemory.data(), kNoMemory.size());
  linger();
}

void Connection::refuse_without_memory(int socket) {
  [[maybe_unused]] const auto sent =
      ::send(socket, kNoMemory.data(), kNoMemory.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  ::shutdown(socket, SHUT_WR);
}

int listening_socket(const std::string& host, std::uint16_t number) {
  addrinfo wanted{}, *found = nullptr;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  const std::string port = std::to_string(number);
  if (const int code = ::getaddrinfo(host.c_str(), port.c_str(), &wanted, &found); code != 0)
    throw_usage(fmt::format("host '{}': {}", host, ::gai_strerror(code)));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(found, &::freeaddrinfo);
  const std::string name = fmt::format("{} port {}", host, number);
  const int made = ::socket(found->ai_family, found->ai_socktype | SOCK_CLOEXEC, found->ai_protocol);
  if (made < 0) throw_io(name, "open a socket");
  const int on = 1;
  ::setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(made, found->ai_addr, found->ai_addrlen) != 0 || ::listen(made, 512) != 0) {
    const int why = errno;
    ::close(made);
    throw_io(name, "listen", why);
  }
  return made;
}

}  // namespace markeval::serve
