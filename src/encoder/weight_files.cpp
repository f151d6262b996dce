// The search for weight files in the order of preference, and the reading of shard indexes.
#include "encoder/weight_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_reader.hpp"
#include "base/limits.hpp"
#include "base/quotation.hpp"
#include "encoder/checkpoint.hpp"
#include "encoder/safetensors.hpp"
#include "encoder/torch_file.hpp"

namespace markeval::encoder {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr JsonLimits kIndexLimits{.bytes = std::size_t{32} << 20};

/// A file of this folder, whose name looks the same wherever it is written.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name.front() != '.' && name.size() <= 255 &&
         std::all_of(name.begin(), name.end(), [](char letter) {
           return letter != '/' && letter != '\\' && static_cast<unsigned char>(letter) >= 0x20 &&
                  letter != 0x7F;
         });
}

// {"weight_map": {"tensor": "file"}}: the files, each once.
std::set<std::string> indexed_names(const std::string& text, const std::string& path) {
  const Json index = parse_json_object(text, path, kIndexLimits);
  const auto map = index.find("weight_map");
  if (map == index.end() || !map->is_object() || map->empty())
    throw_invalid(path + ": expected a JSON object with a 'weight_map' from tensors to files");
  std::set<std::string> names;
  for (const auto& [tensor, file] : map->items()) {
    if (!file.is_string() || !is_plain_name(file.get_ref<const std::string&>())) {
      throw_invalid(fmt::format("{}: tensor {} is said to be in {}, expected a file of this folder", path,
                                in_quotes(tensor), brief(file)));
    }
    names.insert(file.get<std::string>());
  }
  if (names.size() > limit_of(Limit::model_files))
    throw_beyond(Limit::model_files, fmt::format("{}: {} weight files", path, names.size()));
  return names;
}

struct WeightNames {
  std::string_view whole, index;
  WeightFormat format;
};

// In the order of preference: a format that cannot hold anything but tensors comes first.
constexpr std::array<WeightNames, 2> kNames{{
    {kWeightsName, kWeightsIndexNames[0], WeightFormat::safetensors},
    {kTorchName, kWeightsIndexNames[1], WeightFormat::torch},
}};

}  // namespace

WeightFiles open_weights(const std::string& folder) {
  return open_weights(FolderFiles(folder, kWeightsIndexNames));
}

WeightFiles open_weights(const FolderFiles& files) {
  WeightFiles weights{files.folder(), WeightFormat::safetensors, {}};
  for (const WeightNames& names : kNames) {
    weights.format = names.format;
    if (const std::string whole = files.path(names.whole); is_there(whole)) {
      weights.files.emplace_back(whole);
      return weights;
    }
    if (const std::string* const index = files.find(names.index)) {
      for (const std::string& name : indexed_names(*index, files.path(names.index))) {
        if (!is_there(files.path(name))) {
          throw Error(ErrorCode::io, fmt::format("{}: names {}, which is not in the folder",
                                                 files.path(names.index), in_quotes(name)));
        }
        weights.files.emplace_back(files.path(name));
      }
      return weights;
    }
  }
  if (const std::string index = files.path(kCheckpointName); is_there(index)) {
    weights.format = WeightFormat::checkpoint;
    weights.files.emplace_back(index);
    for (const std::string& name : checkpoint_data_files(weights.files.front()))
      weights.files.emplace_back(name);
    return weights;
  }
  throw_invalid(files.folder() +
                ": no weights: expected model.safetensors, pytorch_model.bin, the index of " +
                "either, or bert_model.ckpt.index");
}

std::vector<TensorFile> read_tensor_files(const WeightFiles& weights) {
  if (weights.format == WeightFormat::checkpoint) return read_checkpoint(weights.files);
  std::vector<TensorFile> files;
  for (const OpenFile& file : weights.files) {
    if (weights.format == WeightFormat::torch)
      files.push_back(read_torch_file(file));
    else
      files.push_back(SafetensorsFile(file));
  }
  // Which of two would count is chance, whatever the index says.
  std::map<std::string_view, const TensorFile*> seen;
  for (const TensorFile& file : files) {
    for (const auto& [name, tensor] : file.tensors()) {
      const auto [first, is_new] = seen.emplace(name, &file);
      if (!is_new)
        throw_invalid(fmt::format("{}: tensor {} is in {} too", file.path(), in_quotes(name),
                                  fs::path(first->second->path()).filename().string()));
    }
  }
  return files;
}

}  // namespace markeval::encoder
