// The reader: footer, index block, data blocks with shared key prefixes, and the checksum of each block.
#include "encoder/sorted_table.hpp"

#include <fmt/format.h>

#include "encoder/byte_reader.hpp"
#include "encoder/crc32c.hpp"

namespace markeval::encoder {
namespace {

constexpr std::uint64_t kMagic = 0xdb4775248b80fb57;
constexpr std::size_t kFooterBytes = 48, kTrailerBytes = 5;
constexpr std::size_t kMostKeyBytes = 4096;

/// Where a block lies. A trailer of type and checksum follows it.
struct TableBlock {
  std::uint64_t begin = 0, bytes = 0;
};

TableBlock read_handle(ByteReader& reader) {
  const std::uint64_t begin = reader.varint();
  return {begin, reader.varint()};
}

class SortedTable {
 public:
  SortedTable(std::span<const std::byte> bytes, const std::string& path) : bytes_(bytes), path_(path) {}

  TableEntries entries() {
    if (bytes_.size() < kFooterBytes) fail(fmt::format("{} bytes, expected at least 48", bytes_.size()));
    ByteReader magic(bytes_.last(8), path_);
    if (magic.number<8>() != kMagic) fail("its last bytes are not those of such an index");
    ByteReader footer(bytes_.last(kFooterBytes), path_);
    read_handle(footer);  // of the block of filters and the like, which checkpoints do not have
    const TableEntries index = read_block(read_handle(footer));
    TableEntries all;
    std::uint64_t end = 0;
    for (const auto& [last_key, value] : index) {
      ByteReader handle(std::as_bytes(std::span(value)), path_);
      const TableBlock block = read_handle(handle);
      // Each block once: a small file must not become a long list.
      if (block.begin < end) fail("its blocks overlap");
      TableEntries part = read_block(block);
      end = block.begin + block.bytes;
      std::move(part.begin(), part.end(), std::back_inserter(all));
    }
    return all;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw_invalid(path_ + ": damaged: " + what); }

  TableEntries read_block(const TableBlock& block) {
    if (block.begin > bytes_.size() || block.bytes > bytes_.size() - block.begin ||
        bytes_.size() - block.begin - block.bytes < kTrailerBytes) {
      fail("a block lies outside the file");
    }
    const auto content = bytes_.subspan(static_cast<std::size_t>(block.begin),
                                        static_cast<std::size_t>(block.bytes) + kTrailerBytes);
    ByteReader trailer(content.last(kTrailerBytes), path_);
    if (trailer.byte() != 0) fail("a block is compressed, expected it plain as TensorFlow writes it");
    Crc32c checksum;
    checksum.add(content.first(content.size() - 4));
    if (checksum.masked() != trailer.number<4>()) fail("the checksum of a block is wrong");
    return read_entries(content.first(content.size() - kTrailerBytes));
  }

  // Entries, then the places where keys are written in full, of 4 bytes each, then how many of these there
  // are.
  TableEntries read_entries(std::span<const std::byte> block) {
    if (block.size() < 4) fail("a block of fewer than 4 bytes");
    ByteReader count(block.last(4), path_);
    const std::uint64_t restarts = count.number<4>();
    if (restarts > (block.size() - 4) / 4) fail("a block with more restarts than bytes");
    ByteReader reader(block.first(block.size() - 4 - 4 * static_cast<std::size_t>(restarts)), path_);
    TableEntries entries;
    std::string key;
    while (!reader.at_end()) {
      const std::uint64_t shared = reader.varint(), own = reader.varint(), value = reader.varint();
      if (shared > key.size()) fail("a key begins as one that is shorter");
      if (own > kMostKeyBytes || shared + own > kMostKeyBytes)
        fail(fmt::format("a key of more than {} bytes", kMostKeyBytes));
      key.resize(static_cast<std::size_t>(shared));
      key += reader.text(own);
      // What is kept may be longer than the file, as keys share their beginnings, but not without end.
      kept_ += key.size() + 64;
      if (kept_ > 64 * bytes_.size() + (std::size_t{1} << 20)) fail("keys that share too much");
      entries.emplace_back(key, std::string(reader.text(value)));
    }
    return entries;
  }

  std::span<const std::byte> bytes_;
  std::string path_;
  std::size_t kept_ = 0;
};

}  // namespace

TableEntries read_sorted_table(std::span<const std::byte> bytes, const std::string& path) {
  return SortedTable(bytes, path).entries();
}

}  // namespace markeval::encoder
