// Allocation aligned to 64 bytes. Large buffers ask the system for pages of 2 MiB; debug builds fill them
// with NaN.
#include "base/aligned_buffer.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <new>

namespace markeval::detail {
namespace {

constexpr std::align_val_t kAlignment{64};
constexpr std::uintptr_t kPage = 4096, kHugePage = 1u << 21;

/// Large buffers are used from end to end, and a page of 2 MiB saves 511 faults. A system without such pages,
/// or with larger small ones, says no: nothing changes then.
void ask_for_huge_pages(void* memory, std::size_t bytes) {
  const auto start = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = (start + kPage - 1) / kPage * kPage, end = (start + bytes) / kPage * kPage;
  ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace

void* allocate_aligned(std::size_t bytes) {
  void* const memory = ::operator new(bytes, kAlignment);
  forget(memory, bytes);
  if (bytes >= 2 * kHugePage) ask_for_huge_pages(memory, bytes);
  return memory;
}
void forget([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(MARKEVAL_SANITIZED) || !defined(NDEBUG)
  // All bits set are NaN in every float type: who reads what nobody wrote finds out.
  if (bytes > 0) std::memset(memory, 0xFF, bytes);
#endif
}
void free_aligned(void* memory) noexcept {
  ::operator delete(memory, kAlignment);
}

}  // namespace markeval::detail
