// An open file as the system numbers it, closed with its owner; and what several owners do with one.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace markeval {

class Descriptor {
 public:
  Descriptor() = default;
  /// What open() and its like give back; a negative number is none.
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  /// The caller closes it.
  int release() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

/// All of the bytes, at the descriptor's place. Throws Error(io) that names `path`.
void write_all(const Descriptor& file, std::span<const std::byte> bytes, const std::string& path);

/// The kernel's lock (flock): it ends with the descriptor, and with the process, however that ends. False
/// where somebody else holds it. Throws Error(io).
bool try_lock_file(const Descriptor& file, const std::string& path);

}  // namespace markeval
