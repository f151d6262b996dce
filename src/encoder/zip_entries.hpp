// The files inside a zip archive whose entries are stored as they are, without compression: where in the
// archive each one lies. PyTorch writes such archives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "base/open_file.hpp"

namespace markeval::encoder {

struct ZipEntry {
  std::size_t begin = 0, bytes = 0;  ///< in the archive
  std::uint32_t checksum = 0;        ///< CRC-32; 0: none, as PyTorch writes where it is told to
};

using ZipEntries = std::map<std::string, ZipEntry, std::less<>>;

/// Reads the directory at the end of the archive. Throws Error(invalid_input) where it is damaged, and where
/// an entry is compressed, encrypted, outside the file or there twice.
ZipEntries read_zip_entries(const OpenFile& file);

/// Reads the bytes of an entry. Throws Error(invalid_input) where they have another checksum.
void require_checksum(const OpenFile& file, const std::string& name, const ZipEntry& entry);

}  // namespace markeval::encoder
