// Byte strings -> numbers, walked byte by byte: the longest piece of a vocabulary that starts a text, or all
// of them. One hash table holds the edges, so building is one pass and a step costs one probe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace markeval::token {

class PieceTrie {
 public:
  static constexpr std::uint32_t kRoot = 0;
  static constexpr std::uint32_t kNowhere = 0;  // the root is nobody's child
  static constexpr std::int32_t kNoValue = -1;

  PieceTrie();
  /// `value` >= 0. A key put in twice keeps the last value.
  void insert(std::string_view key, std::int32_t value);

  std::uint32_t child(std::uint32_t node, char byte) const {
    const auto label = static_cast<unsigned char>(byte);
    if (node == kRoot) return root_[label];
    const std::uint32_t key = (node << 8) | label;
    for (std::size_t slot = slot_of(key);; slot = (slot + 1) & mask_) {
      if (edges_[slot].key == key) return edges_[slot].child;
      if (edges_[slot].child == kNowhere) return kNowhere;
    }
  }
  std::int32_t value(std::uint32_t node) const { return values_[node]; }
  /// The value of exactly this key, or kNoValue.
  std::int32_t find(std::string_view key) const;
  std::size_t size() const { return size_; }

 private:
  struct Edge {
    std::uint32_t key = 0;  // parent node and byte
    std::uint32_t child = kNowhere;
  };
  std::size_t slot_of(std::uint32_t key) const {
    return static_cast<std::size_t>((key * std::uint64_t{0x9E3779B97F4A7C15}) >> 32) & mask_;
  }
  void grow();
  std::array<std::uint32_t, 256> root_{};
  std::vector<Edge> edges_;
  std::vector<std::int32_t> values_;
  std::size_t mask_;
  std::size_t size_ = 0;
};

}  // namespace markeval::token
