// poll() before each read and write, with deadlines for head, body and idle time.
#include "serve/connection.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace markeval::serve {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kBufferBytes = 16384;
constexpr std::chrono::seconds kSendStep{20};  ///< in which a client must take something
constexpr std::chrono::milliseconds kLinger{500};

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
    : socket_(std::move(socket)), stop_(stop), limits_(limits), buffer_(kBufferBytes) {}

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

}  // namespace markeval::serve
