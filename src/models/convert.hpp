// A model in any format markeval reads, written once more in the form others read too: config.json,
// model.safetensors and the tokenizer's files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace markeval::models {

struct ConvertedFolder {
  std::string folder;
  std::size_t tensors = 0;
  std::uint64_t weight_bytes = 0;
};

/// `from` is a name or a folder, `to` a folder that does not exist yet; it appears whole or not at all.
/// A transformer in a folder of its own (0_Transformer) comes to stand in `to` itself. Numbers become
/// float32; tensors of whole numbers are left out. Old names of parameters become today's. Throws
/// Error(usage) where `to` is there already, and whatever is wrong with the model.
ConvertedFolder convert_model(const std::string& from, const std::string& to);

}  // namespace markeval::models
