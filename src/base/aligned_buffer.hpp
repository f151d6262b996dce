// Memory for kernels: aligned to a cache line, uninitialised or zeroed, owned by one.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace markeval {

namespace detail {
/// 64-byte aligned; throws std::bad_alloc.
void* allocate_aligned(std::size_t bytes);
void free_aligned(void* memory) noexcept;
/// Fills it with NaN in builds with sanitizers or `assert`; does nothing in others.
void forget(void* memory, std::size_t bytes) noexcept;
struct AlignedDelete {
  void operator()(void* memory) const noexcept { free_aligned(memory); }
};
}  // namespace detail

template <typename T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  AlignedBuffer() = default;
  /// Contents are indeterminate: call `fill` where it matters.
  explicit AlignedBuffer(std::size_t size)
      : memory_(static_cast<T*>(detail::allocate_aligned(size * sizeof(T)))), size_(size) {}
  AlignedBuffer(std::size_t size, T value) : AlignedBuffer(size) { fill(value); }

  T* data() { return memory_.get(); }
  const T* data() const { return memory_.get(); }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t index) { return memory_.get()[index]; }
  const T& operator[](std::size_t index) const { return memory_.get()[index]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  operator std::span<T>() { return {data(), size_}; }              // NOLINT(google-explicit-constructor)
  operator std::span<const T>() const { return {data(), size_}; }  // NOLINT(google-explicit-constructor)
  /// The contents are indeterminate from now on: for memory that is used again.
  void forget() { detail::forget(memory_.get(), size_ * sizeof(T)); }
  void fill(T value) {
    for (T& element : *this) element = value;
  }

 private:
  std::unique_ptr<T, detail::AlignedDelete> memory_;
  std::size_t size_ = 0;
};

}  // namespace markeval
