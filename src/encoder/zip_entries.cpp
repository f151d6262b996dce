// The central directory is found from the end of the file, zip64 included; each entry's place and CRC-32 are
// checked.
#include "encoder/zip_entries.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/limits.hpp"
#include "base/quotation.hpp"
#include "encoder/byte_reader.hpp"

namespace markeval::encoder {
namespace {

// Numbers of PKWARE's APPNOTE.TXT, section 4.3.
constexpr std::uint64_t kLocalMagic = 0x04034b50, kEntryMagic = 0x02014b50, kEndMagic = 0x06054b50;
constexpr std::uint64_t kEnd64Magic = 0x06064b50, kLocatorMagic = 0x07064b50;
constexpr std::size_t kLocalBytes = 30, kEndBytes = 22, kEnd64Bytes = 56, kLocatorBytes = 20;
constexpr std::size_t kMostComment = 65535;
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;  ///< read at once for a checksum
constexpr std::uint64_t kIn64 = 0xFFFFFFFF;  ///< the number is in the extra field, which has 64 bits
constexpr std::uint64_t kExtra64 = 1;

struct ArchiveDirectory {
  std::uint64_t begin = 0, bytes = 0, entries = 0;
};

std::vector<std::byte> read_part(const OpenFile& file, std::uint64_t begin, std::uint64_t bytes) {
  if (begin > file.size() || bytes > file.size() - begin)
    throw_invalid(file.path() + ": damaged: a part of the archive lies outside the file");
  std::vector<std::byte> part(static_cast<std::size_t>(bytes));
  file.read_at(begin, part);
  return part;
}

// The record at the end, or the one of zip64 before it, which counts where it is there.
ArchiveDirectory find_directory(const OpenFile& file) {
  const std::size_t tail_bytes = std::min(file.size(), kEndBytes + kMostComment + kLocatorBytes);
  const std::vector<std::byte> read = read_part(file, file.size() - tail_bytes, tail_bytes);
  const std::span<const std::byte> tail(read);
  for (std::size_t at = tail_bytes < kEndBytes ? 0 : tail_bytes - kEndBytes + 1; at-- > 0;) {
    ByteReader end(tail.subspan(at), file.path());
    if (end.number<4>() != kEndMagic) continue;
    end.take(6);
    ArchiveDirectory directory;
    directory.entries = end.number<2>();
    directory.bytes = end.number<4>();
    directory.begin = end.number<4>();
    if (at < kLocatorBytes) return directory;
    ByteReader locator(tail.subspan(at - kLocatorBytes), file.path());
    if (locator.number<4>() != kLocatorMagic) return directory;
    locator.take(4);
    const std::vector<std::byte> record = read_part(file, locator.number<8>(), kEnd64Bytes);
    ByteReader end64(record, file.path());
    if (end64.number<4>() != kEnd64Magic) end64.fail("its zip64 record is not where it should be");
    end64.take(28);
    directory.entries = end64.number<8>();
    directory.bytes = end64.number<8>();
    directory.begin = end64.number<8>();
    return directory;
  }
  throw_invalid(file.path() + ": damaged: a zip archive without its directory, as if it were cut off");
}

// The numbers that did not fit into 32 bits, in this order.
void read_extra(ByteReader extra, std::initializer_list<std::uint64_t*> numbers) {
  while (extra.left() >= 4) {
    const std::uint64_t kind = extra.number<2>();
    ByteReader field(extra.take(extra.number<2>()), extra.where());
    if (kind != kExtra64) continue;
    for (std::uint64_t* const number : numbers) {
      if (*number == kIn64) *number = field.number<8>();
    }
    return;
  }
}

// What stands before the bytes of an entry repeats its name and has extra fields of its own.
std::uint64_t data_begin(const OpenFile& file, std::uint64_t local) {
  const std::vector<std::byte> bytes = read_part(file, local, kLocalBytes);
  ByteReader header(bytes, file.path());
  if (header.number<4>() != kLocalMagic) header.fail("an entry of the archive is not where it should be");
  header.take(22);
  const std::uint64_t name = header.number<2>();
  return local + kLocalBytes + name + header.number<2>();
}

}  // namespace

ZipEntries read_zip_entries(const OpenFile& file) {
  const ArchiveDirectory extent = find_directory(file);
  if (extent.bytes > limit_of(Limit::header_bytes))
    throw_beyond(Limit::header_bytes,
                 fmt::format("{}: the directory of the archive claims {} bytes", file.path(), extent.bytes));
  const std::vector<std::byte> bytes = read_part(file, extent.begin, extent.bytes);
  ByteReader directory(bytes, file.path());
  ZipEntries entries;
  for (std::uint64_t index = 0; index < extent.entries; ++index) {
    if (directory.number<4>() != kEntryMagic) directory.fail("its directory has something else than entries");
    directory.take(4);
    const std::uint64_t flags = directory.number<2>(), method = directory.number<2>();
    directory.take(4);
    const std::uint64_t checksum = directory.number<4>();
    std::uint64_t stored = directory.number<4>(), size = directory.number<4>();
    const std::uint64_t name_bytes = directory.number<2>(), extra_bytes = directory.number<2>();
    const std::uint64_t comment_bytes = directory.number<2>();
    directory.take(8);
    std::uint64_t local = directory.number<4>();
    const std::string name(directory.text(name_bytes));
    read_extra(ByteReader(directory.take(extra_bytes), file.path()), {&size, &stored, &local});
    directory.take(comment_bytes);
    if (method != 0 || (flags & 1) != 0 || stored != size) {
      throw_invalid(
          fmt::format("{}: {} is compressed or encrypted inside the archive, expected it stored "
                      "as PyTorch does",
                      file.path(), in_quotes(name)));
    }
    const std::uint64_t begin = data_begin(file, local);
    if (begin > file.size() || size > file.size() - begin)
      directory.fail(in_quotes(name) + " lies outside the file");
    const ZipEntry entry{static_cast<std::size_t>(begin), static_cast<std::size_t>(size),
                         static_cast<std::uint32_t>(checksum)};
    if (!entries.emplace(name, entry).second) directory.fail(in_quotes(name) + " is in the archive twice");
  }
  return entries;
}

void require_checksum(const OpenFile& file, const std::string& name, const ZipEntry& entry) {
  if (entry.checksum == 0) return;
  std::vector<std::byte> piece(std::min(entry.bytes, kPieceBytes));
  uLong checksum = crc32(0, nullptr, 0);
  for (std::size_t done = 0; done < entry.bytes; done += piece.size()) {
    const auto part = std::span(piece).first(std::min(piece.size(), entry.bytes - done));
    file.read_at(entry.begin + done, part);
    checksum = crc32(checksum, reinterpret_cast<const Bytef*>(part.data()), static_cast<uInt>(part.size()));
  }
  if (checksum != entry.checksum)
    throw_invalid(fmt::format("{}: damaged: the checksum of {} is wrong", file.path(), in_quotes(name)));
}

}  // namespace markeval::encoder
