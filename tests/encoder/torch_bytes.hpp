// Files of torch.save() written by hand, so that they can lie.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace markeval::encoder {

/// The lowest byte first.
inline std::string little_endian(std::uint64_t value, int bytes) {
  std::string result;
  for (int byte = 0; byte < bytes; ++byte) result += static_cast<char>(value >> (8 * byte) & 0xff);
  return result;
}

/// Pickle's text of up to 2^32 - 1 bytes.
inline std::string pickled(const std::string& text) {
  return "X" + little_endian(text.size(), 4) + text;
}
inline std::string pickled(std::int32_t number) {
  return "J" + little_endian(static_cast<std::uint32_t>(number), 4);
}

/// The older form around the pickle of an object: `storages` are key and elements, each with its bytes.
inline std::string legacy_file(
    const std::string& object,
    const std::vector<std::pair<std::string, std::pair<std::uint64_t, std::string>>>& storages = {}) {
  std::string file("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15);
  file += std::string("\x80\x02M\xe9\x03.", 6);
  file += "\x80\x02}" + pickled("little_endian") + "\x88s.";
  file += object;
  file += "\x80\x02](";
  for (const auto& storage : storages) file += pickled(storage.first);
  file += "e.";
  for (const auto& [key, content] : storages) file += little_endian(content.first, 8) + content.second;
  return file;
}

/// ('storage', torch.FloatStorage, key, 'cpu', elements), taken as a persistent id.
inline std::string pickled_storage(const std::string& key, std::int32_t elements,
                                   const std::string& type = "FloatStorage") {
  return "(" + pickled("storage") + "ctorch\n" + type + "\n" + pickled(key) + pickled("cpu") +
         pickled(elements) + "tQ";
}

/// torch._utils._rebuild_tensor_v2(storage, offset, shape, strides, False, OrderedDict()).
inline std::string pickled_tensor(const std::string& storage, std::int32_t offset,
                                  const std::vector<std::int32_t>& shape,
                                  const std::vector<std::int32_t>& strides) {
  std::string text = "ctorch._utils\n_rebuild_tensor_v2\n(" + storage + pickled(offset) + "(";
  for (const std::int32_t extent : shape) text += pickled(extent);
  text += "t(";
  for (const std::int32_t stride : strides) text += pickled(stride);
  return text + "t\x89" + "ccollections\nOrderedDict\n)RtR";
}

/// {name: value}, as a whole pickle.
inline std::string pickled_dictionary(const std::string& name, const std::string& value) {
  return "\x80\x02}" + pickled(name) + value + "s.";
}

/// A zip archive of stored entries. Without checksums, as PyTorch writes it where it is told to.
inline std::string zip_file(const std::vector<std::pair<std::string, std::string>>& entries,
                            std::uint64_t method = 0, bool with_checksums = false) {
  std::string file, directory;
  for (const auto& [name, content] : entries) {
    const std::string sizes = little_endian(content.size(), 4) + little_endian(content.size(), 4);
    const std::uint64_t checksum = with_checksums ? crc32(0, reinterpret_cast<const Bytef*>(content.data()),
                                                          static_cast<uInt>(content.size()))
                                                  : 0;
    const std::string common = std::string(2, '\0') + little_endian(method, 2) + std::string(4, '\0') +
                               little_endian(checksum, 4) + sizes + little_endian(name.size(), 2) +
                               std::string(2, '\0');
    directory += "PK\x01\x02" + little_endian(20, 2) + little_endian(20, 2) + common + std::string(10, '\0') +
                 little_endian(file.size(), 4) + name;
    file += "PK\x03\x04" + little_endian(20, 2) + common + name + content;
  }
  const std::string end = "PK\x05\x06" + std::string(4, '\0') + little_endian(entries.size(), 2) +
                          little_endian(entries.size(), 2) + little_endian(directory.size(), 4) +
                          little_endian(file.size(), 4) + std::string(2, '\0');
  return file + directory + end;
}

}  // namespace markeval::encoder
