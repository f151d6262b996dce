#include "embed/lmdb_pages.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace markeval::embed {
namespace {

constexpr std::size_t kHeader = 16;  // number 8, padding 2, flags 2, lower 2, upper 2
constexpr std::size_t kNodeHeader = 8;
constexpr std::uint16_t kBranch = 1, kLeaf = 2;
constexpr std::uint16_t kBigData = 1, kSubTree = 2;
constexpr std::uint32_t kMetaMagic = 0xBEEFC0DE;
constexpr std::uint64_t kNoPage = ~std::uint64_t{0};
constexpr std::size_t kTreeRecord = 48;
constexpr std::size_t kMaxDepth = 32;
/// A damaged node may claim to lie 64 KiB behind its page's start, and to have a key as long.
constexpr std::uint64_t kWildReach = 128 * 1024;

template <typename T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

struct Node {
  std::uint16_t low, high, flags, key_size;
  const std::byte* key;
  explicit Node(const std::byte* at)
      : low(load<std::uint16_t>(at)),
        high(load<std::uint16_t>(at + 2)),
        flags(load<std::uint16_t>(at + 4)),
        key_size(load<std::uint16_t>(at + 6)),
        key(at + kNodeHeader) {}
  std::uint64_t child() const { return low | (std::uint64_t{high} << 16) | (std::uint64_t{flags} << 32); }
  std::uint64_t data_size() const { return low | (std::uint64_t{high} << 16); }
  const std::byte* data() const { return key + key_size; }
};

std::size_t count_nodes(const std::vector<std::byte>& page) {
  return (load<std::uint16_t>(page.data() + 12) - kHeader) / 2;
}
Node node_at(const std::vector<std::byte>& page, std::size_t index) {
  return Node(page.data() + load<std::uint16_t>(page.data() + kHeader + 2 * index));
}

}  // namespace

LmdbPages::LmdbPages(int descriptor, std::size_t page_size, std::uint64_t transaction)
    : descriptor_(descriptor), page_size_(page_size), transaction_(transaction) {}

bool LmdbPages::read_page(std::uint64_t number, std::vector<std::byte>& page) const {
  page.resize(page_size_);
  const ssize_t got = pread(descriptor_, page.data(), page_size_, static_cast<off_t>(number * page_size_));
  return got == static_cast<ssize_t>(page_size_);
}

bool LmdbPages::read_meta() {
  std::vector<std::byte> page;
  for (std::uint64_t number = 0; number < 2; ++number) {
    if (!read_page(number, page)) {
      fault_ = "the file ends inside its head";
      return false;
    }
    const std::byte* meta = page.data() + kHeader;
    if (load<std::uint32_t>(meta) != kMetaMagic) {
      fault_ = "page " + std::to_string(number) + " is no meta page";
      return false;
    }
    const std::byte* trees = meta + 24;
    if (load<std::uint64_t>(trees + 2 * kTreeRecord + 8) != transaction_) continue;
    const auto tree_at = [](const std::byte* record) {
      return Tree{load<std::uint64_t>(record + 40), load<std::uint16_t>(record + 6), true};
    };
    free_ = tree_at(trees);
    names_ = tree_at(trees + kTreeRecord);
    last_page_ = load<std::uint64_t>(trees + 2 * kTreeRecord);
    return true;
  }
  snapshot_gone_ = true;  // the meta page is overwritten two commits later
  return false;
}

bool LmdbPages::sound(const std::vector<std::byte>& page, std::uint64_t number, bool leaf) const {
  const std::size_t lower = load<std::uint16_t>(page.data() + 12);
  const std::size_t upper = load<std::uint16_t>(page.data() + 14);
  if (load<std::uint64_t>(page.data()) != number) return false;
  if (load<std::uint16_t>(page.data() + 10) != (leaf ? kLeaf : kBranch)) return false;
  if (lower <= kHeader || lower % 2 != 0 || lower > upper || upper > page_size_) return false;
  for (std::size_t index = 0; index < count_nodes(page); ++index) {
    const std::size_t offset = load<std::uint16_t>(page.data() + kHeader + 2 * index);
    if (offset < upper || offset + kNodeHeader > page_size_) return false;
    const Node node(page.data() + offset);
    std::uint64_t end = offset + kNodeHeader + node.key_size;
    if (leaf) end += (node.flags & kBigData) != 0 ? sizeof(std::uint64_t) : node.data_size();
    if (end > page_size_) return false;
    const std::uint64_t pointed =
        leaf ? ((node.flags & kBigData) != 0 ? load<std::uint64_t>(node.data()) : 2) : node.child();
    if (pointed < 2 || pointed > last_page_) return false;
  }
  return true;
}

bool LmdbPages::walk(const Tree& tree, std::size_t first_leaves) {
  if (tree.root == kNoPage) return true;
  if (tree.depth == 0 || tree.depth > kMaxDepth) {
    fault_ = "a tree of depth " + std::to_string(tree.depth);
    return false;
  }
  std::vector<std::uint64_t> level{tree.root};
  std::vector<std::byte> page;
  const std::uint64_t wild_from = last_page_ - std::min(last_page_, kWildReach / page_size_ + 1);
  for (std::size_t depth = 1; depth <= tree.depth; ++depth) {
    const bool leaf = depth == tree.depth;
    std::vector<std::uint64_t> below;
    for (std::size_t index = 0; index < level.size(); ++index) {
      const bool edge = index < first_leaves || index + 2 >= level.size();
      if (leaf && !tree.all_leaves && !edge && level[index] < wild_from) continue;
      if (level[index] > last_page_ || !read_page(level[index], page) || !sound(page, level[index], leaf)) {
        fault_ = "page " + std::to_string(level[index]) + " is no tree page";
        return false;
      }
      for (std::size_t node = 0; !leaf && node < count_nodes(page); ++node) {
        below.push_back(node_at(page, node).child());
        if (below.size() > last_page_) {
          fault_ = "a tree with more leaves than pages";
          return false;
        }
      }
    }
    level = std::move(below);
  }
  return true;
}

bool LmdbPages::walk_names(std::uint64_t number, std::size_t level) {
  std::vector<std::byte> page;
  const bool leaf = level == 1;
  if (number > last_page_ || !read_page(number, page) || !sound(page, number, leaf)) {
    fault_ = "page " + std::to_string(number) + " is no tree page";
    return false;
  }
  for (std::size_t index = 0; index < count_nodes(page); ++index) {
    const Node node = node_at(page, index);
    if (!leaf) {
      if (!walk_names(node.child(), level - 1)) return false;
    } else if ((node.flags & kSubTree) != 0 && node.data_size() == kTreeRecord) {
      named_.emplace_back(
          std::string(reinterpret_cast<const char*>(node.key), node.key_size),
          Tree{load<std::uint64_t>(node.data() + 40), load<std::uint16_t>(node.data() + 6), true});
    }
  }
  return true;
}

std::optional<std::string> LmdbPages::fault(const std::string& sparse, std::size_t oldest) {
  if (!read_meta()) return fault_.empty() ? std::nullopt : std::optional(fault_);
  if (!walk(free_, 0)) return fault_;
  if (names_.root == kNoPage) return std::nullopt;
  if (names_.depth == 0 || names_.depth > kMaxDepth) return "a tree of depth " + std::to_string(names_.depth);
  if (!walk_names(names_.root, names_.depth)) return fault_;
  for (auto& [name, tree] : named_) {
    tree.all_leaves = name != sparse;
    if (!walk(tree, oldest)) return fault_;
  }
  return std::nullopt;
}

}  // namespace markeval::embed
