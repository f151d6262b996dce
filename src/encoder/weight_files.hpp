// The files that hold a model's weights, open: model.safetensors, or the shards its index names. Loading and
// hashing read these, so that both speak of the same bytes, whatever becomes of the folder meanwhile.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/folder_files.hpp"
#include "base/open_file.hpp"

namespace markeval::encoder {

inline constexpr std::string_view kWeightsName = "model.safetensors";
inline constexpr std::string_view kWeightsIndexName = "model.safetensors.index.json";

struct WeightFiles {
  std::string folder;           ///< for messages
  std::vector<OpenFile> files;  ///< shards in order of name

  /// See OpenFile.
  void require_unchanged() const {
    for (const OpenFile& file : files) file.require_unchanged();
  }
};

/// Throws Error(invalid_input) where there are none, saying what to do about other formats, and where the
/// index names anything but plain files of this folder; Error(io) where one cannot be opened.
WeightFiles open_weights(const std::string& folder);
/// The same with an index that has been read already.
WeightFiles open_weights(const FolderFiles& files);

}  // namespace markeval::encoder
