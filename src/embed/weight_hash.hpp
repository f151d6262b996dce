// Which weights are these? The hash that signatures and cache keys name a model by.
#pragma once

#include <string>
#include <vector>

namespace markeval::embed {

/// The files that hold a model's weights, relative to the folder: model.safetensors, or the shards its index
/// names, in order of name. Throws Error(invalid_input) where there are none, saying what to do about other
/// formats.
std::vector<std::string> weight_files(const std::string& folder);

/// One file: its sha256. Shards: the sha256 of their sha256s, written as hex digits one after the other.
/// Hashing 90 MB takes a tenth of a second and more, so the result is kept in FOLDER/.markeval-hash (where
/// that cannot be written: under the cache folder) and holds while name, size and time of change of every
/// file stay the same. Throws Error(invalid_input), Error(io).
std::string weight_hash(const std::string& folder);

/// The same, computed anew from the files' bytes.
std::string compute_weight_hash(const std::string& folder);

/// One hash of all that makes a folder's vectors besides the weights: config.json, the tokenizer's files,
/// pooling and other module settings.
std::string settings_hash(const std::string& folder);

/// "all-MiniLM-L6-v2": the folder's name, wherever a link leads.
std::string model_name(const std::string& folder);
/// "all-MiniLM-L6-v2@53aa5117": that name and the first 8 digits of its weight hash.
std::string model_signature(const std::string& folder);

}  // namespace markeval::embed
