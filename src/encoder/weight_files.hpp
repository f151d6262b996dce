// The files that hold a model's weights, open: model.safetensors, or the shards its index names, or else
// pytorch_model.bin in the same ways, or else a checkpoint of TensorFlow. Loading and hashing read these, so
// that both speak of the same bytes, whatever becomes of the folder meanwhile.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/folder_files.hpp"
#include "base/open_file.hpp"
#include "encoder/tensor_file.hpp"

namespace markeval::encoder {

inline constexpr std::string_view kWeightsName = "model.safetensors";
inline constexpr std::string_view kTorchName = "pytorch_model.bin";
inline constexpr std::string_view kCheckpointName = "bert_model.ckpt.index";
/// Names of files with the whole weights, in the order of the search; the first one found counts.
inline constexpr std::array kWholeWeightsNames{kWeightsName, kTorchName, kCheckpointName};
/// The lists of shards.
inline constexpr std::array<std::string_view, 2> kWeightsIndexNames{"model.safetensors.index.json",
                                                                    "pytorch_model.bin.index.json"};

enum class WeightFormat { safetensors, torch, checkpoint };

struct WeightFiles {
  std::string folder;  ///< for messages
  WeightFormat format = WeightFormat::safetensors;
  std::vector<OpenFile> files;  ///< shards in order of name; of a checkpoint its index first

  /// See OpenFile.
  void require_unchanged() const {
    for (const OpenFile& file : files) file.require_unchanged();
  }
};

/// Throws Error(invalid_input) where there are none, saying what was looked for, and where the index names
/// anything but plain files of this folder; Error(io) where one cannot be opened.
WeightFiles open_weights(const std::string& folder);
/// The same with indexes (kWeightsIndexNames) that have been read already.
WeightFiles open_weights(const FolderFiles& files);

/// What each of them holds. Throws Error(invalid_input) where one is damaged.
std::vector<TensorFile> read_tensor_files(const WeightFiles& weights);

}  // namespace markeval::encoder
