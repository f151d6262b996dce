// Memory a thread keeps between calls, so that no call allocates once it has seen its largest problem.
#pragma once

#include "base/aligned_buffer.hpp"
#include "base/per_thread.hpp"
#include "compute/cpu/kernels.hpp"

namespace markeval::compute::cpu {

/// Memory of each thread for the length of a call: grows, never shrinks. Declared as thread_local.
class ScratchBuffer {
 public:
  template <typename T>
  T* get(std::size_t count) {
    AlignedBuffer<std::byte>& buffer = *buffer_;
    if (buffer.size() < count * sizeof(T)) buffer = AlignedBuffer<std::byte>(count * sizeof(T));
    buffer.forget();
    return reinterpret_cast<T*>(buffer.data());
  }

 private:
  PerThread<AlignedBuffer<std::byte>> buffer_;
};

/// Parts of `size` that hold `count`, the last of them perhaps not full.
inline std::size_t divided_up(std::size_t count, std::size_t size) {
  return (count + size - 1) / size;
}
inline std::size_t round_up(std::size_t value, std::size_t multiple) {
  return divided_up(value, multiple) * multiple;
}
/// Part `index` of `shares` of the lines.
inline Lines share(Lines all, std::size_t index, std::size_t shares) {
  const std::size_t size = divided_up(all.count, shares);
  return {all.begin + index * size * kLine, size};
}

}  // namespace markeval::compute::cpu
