// Who of a pool's workers does what, where it matters that it is the same one in every call.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

namespace markeval::compute::cpu {

/// [0, count) in `parts` of nearly the same size.
struct EvenParts {
  std::size_t count, parts;

  std::size_t begin(std::size_t part) const { return count * part / parts; }
  std::size_t end(std::size_t part) const { return begin(part + 1); }
};

/// Items of a loop, one share of neighbouring ones for every worker. A worker takes those of its own share
/// first, then what others have left: in the next product of the same shape it finds its part of the operands
/// and of the result in its core's cache.
class Shares {
 public:
  Shares(std::size_t items, std::size_t workers) : shares_(workers) {
    const EvenParts parts{items, workers};
    for (std::size_t worker = 0; worker < workers; ++worker) {
      shares_[worker].next = parts.begin(worker);
      shares_[worker].end = parts.end(worker);
    }
  }

  /// To be called once for every item.
  std::size_t take(std::size_t worker) {
    while (true) {
      Share& share = shares_[worker];
      if (share.next.load(std::memory_order_relaxed) < share.end) {
        const std::size_t item = share.next.fetch_add(1, std::memory_order_relaxed);
        if (item < share.end) return item;
      }
      worker = (worker + 1) % shares_.size();
    }
  }

 private:
  struct alignas(64) Share {
    std::atomic<std::size_t> next;
    std::size_t end;
  };
  std::vector<Share> shares_;
};

}  // namespace markeval::compute::cpu
