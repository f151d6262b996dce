// The reserve is two mappings. The first is freed so that the allocation succeeds after all: it may be one of
// a destructor, which cannot fail. The second is freed before the new-handler throws.
#include "serve/memory_reserve.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <new>

namespace markeval::serve {
namespace {

constexpr std::size_t kReserveBytes = std::size_t{24} << 20;
[[maybe_unused]] constexpr rlim_t kAddressesPerHeap = rlim_t{256} << 20;
std::atomic<void*> first{nullptr}, second{nullptr};

bool free_one(std::atomic<void*>& reserve) {
  void* const held = reserve.exchange(nullptr);
  if (held != nullptr) ::munmap(held, kReserveBytes);
  return held != nullptr;
}

void give_up_reserve() {
  if (free_one(first)) return;
  free_one(second);
  throw std::bad_alloc();
}

bool keep(std::atomic<void*>& reserve) {
  if (reserve != nullptr) return true;
  void* const made =
      ::mmap(nullptr, kReserveBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED) return false;
  void* none = nullptr;
  if (!reserve.compare_exchange_strong(none, made)) ::munmap(made, kReserveBytes);
  return true;
}

}  // namespace

bool keep_memory_reserve() {
  std::set_new_handler(give_up_reserve);
  const bool any = keep(second);
  return keep(first) || any;
}

void spare_address_space() {
#ifdef M_ARENA_MAX
  rlimit addresses{};
  if (::getrlimit(RLIMIT_AS, &addresses) != 0 || addresses.rlim_cur == RLIM_INFINITY) return;
  ::mallopt(M_ARENA_MAX, static_cast<int>(std::clamp<rlim_t>(addresses.rlim_cur / kAddressesPerHeap, 1, 64)));
#endif
}

}  // namespace markeval::serve
