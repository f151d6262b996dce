// Is an LMDB file sound? LMDB trusts the pages it reads: a tree page full of garbage makes it follow wild
// pointers. A cache must outlive damage, so the pages LMDB will steer by are looked over before it does.
//
// Layout of LMDB 0.9 (64-bit): pages of one size; pages 0 and 1 are meta pages, the one with the higher
// transaction id holds the roots. A page starts with its own number, so a zeroed, shifted or overwritten page
// shows itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace markeval::embed {

class LmdbPages {
 public:
  /// `descriptor` stays the caller's. `transaction` is the id of a snapshot that the caller keeps alive
  /// meanwhile.
  LmdbPages(int descriptor, std::size_t page_size, std::uint64_t transaction);

  /// What is wrong with the trees of the free pages, the names and all named databases, or nothing. Every
  /// branch page is looked at, and every leaf but those of `sparse`, the database too large to read whole: of
  /// that one the `oldest` first leaves and the last two, which are the ones that removing the oldest or
  /// appending will change, and those so near the end of the file that a wild pointer would leave it.
  std::optional<std::string> fault(const std::string& sparse, std::size_t oldest);

  /// After fault(): the snapshot's meta page was no longer there, so nothing was looked at.
  bool snapshot_gone() const { return snapshot_gone_; }

 private:
  struct Tree {
    std::uint64_t root = 0;
    std::size_t depth = 0;
    bool all_leaves = true;
  };
  bool read_meta();
  bool read_page(std::uint64_t number, std::vector<std::byte>& page) const;
  bool sound(const std::vector<std::byte>& page, std::uint64_t number, bool leaf) const;
  bool walk(const Tree& tree, std::size_t first_leaves);
  bool walk_names(std::uint64_t number, std::size_t level);

  int descriptor_;
  std::size_t page_size_;
  std::uint64_t transaction_;
  std::uint64_t last_page_ = 0;
  bool snapshot_gone_ = false;
  std::string fault_;
  Tree free_, names_;
  std::vector<std::pair<std::string, Tree>> named_;
};

}  // namespace markeval::embed
