// Insertion and lookup in the hash table of edges.
#include "token/piece_trie.hpp"

#include "base/error.hpp"

namespace markeval::token {
namespace {

constexpr std::size_t kMaxNodes = std::size_t{1} << 24;  // a node and a byte share 32 bits

}  // namespace

PieceTrie::PieceTrie() : edges_(1024), values_(1, kNoValue), mask_(edges_.size() - 1) {}

void PieceTrie::grow() {
  std::vector<Edge> old(edges_.size() * 2);
  old.swap(edges_);
  mask_ = edges_.size() - 1;
  for (const Edge& edge : old) {
    if (edge.child == kNowhere) continue;
    std::size_t slot = slot_of(edge.key);
    while (edges_[slot].child != kNowhere) slot = (slot + 1) & mask_;
    edges_[slot] = edge;
  }
}

void PieceTrie::insert(std::string_view key, std::int32_t value) {
  std::uint32_t node = kRoot;
  for (const char byte : key) {
    std::uint32_t next = child(node, byte);
    if (next == kNowhere) {
      if (values_.size() >= kMaxNodes)
        throw_invalid("a vocabulary with more than 16 million characters is not supported");
      next = static_cast<std::uint32_t>(values_.size());
      values_.push_back(kNoValue);
      const auto label = static_cast<unsigned char>(byte);
      if (node == kRoot) {
        root_[label] = next;
      } else {
        if (values_.size() * 2 > edges_.size()) grow();
        const std::uint32_t edge = (node << 8) | label;
        std::size_t slot = slot_of(edge);
        while (edges_[slot].child != kNowhere) slot = (slot + 1) & mask_;
        edges_[slot] = {edge, next};
      }
    }
    node = next;
  }
  if (values_[node] == kNoValue) ++size_;
  values_[node] = value;
}

std::int32_t PieceTrie::find(std::string_view key) const {
  std::uint32_t node = kRoot;
  for (const char byte : key) {
    node = child(node, byte);
    if (node == kNowhere) return kNoValue;
  }
  return values_[node];
}

}  // namespace markeval::token
