#include "base/aligned_buffer.hpp"

#include <new>

namespace markeval::detail {

constexpr std::align_val_t kAlignment{64};

void* allocate_aligned(std::size_t bytes) { return ::operator new(bytes, kAlignment); }
void free_aligned(void* memory) noexcept { ::operator delete(memory, kAlignment); }

}  // namespace markeval::detail
