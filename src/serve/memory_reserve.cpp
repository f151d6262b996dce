#include "serve/memory_reserve.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <new>

namespace markeval::serve {
namespace {

constexpr std::size_t kReserveBytes = std::size_t{48} << 20;
std::atomic<void*> reserve{nullptr};

void give_up_reserve() {
  if (void* const held = reserve.exchange(nullptr)) ::munmap(held, kReserveBytes);
  throw std::bad_alloc();
}

}  // namespace

void keep_memory_reserve() {
  std::set_new_handler(give_up_reserve);
  if (reserve != nullptr) return;
  void* const made =
      ::mmap(nullptr, kReserveBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED) return;
  void* none = nullptr;
  if (!reserve.compare_exchange_strong(none, made)) ::munmap(made, kReserveBytes);
}

}  // namespace markeval::serve
