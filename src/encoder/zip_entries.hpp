// The files inside a zip archive whose entries are stored as they are, without compression: where in the
// archive each one lies. PyTorch writes such archives.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "base/open_file.hpp"

namespace markeval::encoder {

struct ZipEntry {
  std::size_t begin = 0, bytes = 0;  ///< in the archive
};

using ZipEntries = std::map<std::string, ZipEntry, std::less<>>;

/// Reads the directory at the end of the archive. Throws Error(invalid_input) where it is damaged, and where
/// an entry is compressed, encrypted or outside the file.
ZipEntries read_zip_entries(const OpenFile& file);

}  // namespace markeval::encoder
