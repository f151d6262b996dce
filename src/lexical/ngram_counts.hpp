// N-grams of a whole corpus as a growing tree: node = (node of the prefix, next word), exact, one number per
// node.
#pragma once

#include <cstdint>
#include <vector>

namespace markeval::lexical {

class NgramCounts {
 public:
  static constexpr std::uint32_t kRoot = 0, kNone = 0xFFFFFFFFu;

  NgramCounts() { clear(); }
  void clear();
  /// The node of `prefix` followed by `word`, made where it is missing; its count starts at 0.
  std::uint32_t add(std::uint32_t prefix, std::uint32_t word);
  /// kNone where there is no such n-gram, or `prefix` is kNone.
  std::uint32_t find(std::uint32_t prefix, std::uint32_t word) const;
  std::size_t size() const { return counts.size(); }

  std::vector<double> counts;  ///< by node; what is counted is the caller's business

 private:
  std::size_t slot_of(std::uint64_t key) const;
  void grow();

  struct CountSlot {
    std::uint64_t key;  // 0 = free
    std::uint32_t node;
  };
  std::vector<CountSlot> slots_;
  std::size_t mask_ = 0;
};

}  // namespace markeval::lexical
