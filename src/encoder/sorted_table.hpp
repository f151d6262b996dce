// A sorted string table, the file format of LevelDB (doc/table_format.md there), which TensorFlow uses for
// the index of a checkpoint. Blocks must not be compressed; TensorFlow's are not.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace markeval::encoder {

using TableEntries = std::vector<std::pair<std::string, std::string>>;

/// Keys and values of the table, in its order. `path` is for messages. Throws Error(invalid_input) where it
/// is damaged or compressed.
TableEntries read_sorted_table(std::span<const std::byte> bytes, const std::string& path);

}  // namespace markeval::encoder
