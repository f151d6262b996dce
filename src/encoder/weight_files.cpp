#include "encoder/weight_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "base/json_reader.hpp"
#include "base/limits.hpp"
#include "base/quotation.hpp"

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

[[noreturn]] void throw_no_weights(const std::string& folder) {
  std::error_code ignored;
  if (fs::exists(fs::path(folder) / "pytorch_model.bin", ignored) ||
      fs::exists(fs::path(folder) / "pytorch_model.bin.index.json", ignored)) {
    throw_invalid(
        fmt::format("{0}: has pytorch_model.bin only, which can run code when loaded; convert it once with\n"
                    "  python3 -c \"from transformers import AutoModel as M; "
                    "M.from_pretrained('{0}').save_pretrained('{0}')\"\n"
                    "which writes model.safetensors",
                    folder));
  }
  throw_invalid(folder + ": no weights: expected model.safetensors or model.safetensors.index.json");
}

}  // namespace

WeightFiles open_weights(const std::string& folder) {
  return open_weights(FolderFiles(folder, std::span(&kWeightsIndexName, 1)));
}

WeightFiles open_weights(const FolderFiles& files) {
  WeightFiles weights{files.folder(), {}};
  std::error_code ignored;
  if (const std::string single = files.path(kWeightsName); fs::exists(single, ignored)) {
    weights.files.emplace_back(single);
  } else if (const std::string* const index = files.find(kWeightsIndexName)) {
    for (const std::string& name : indexed_names(*index, files.path(kWeightsIndexName)))
      weights.files.emplace_back(files.path(name));
  } else {
    throw_no_weights(files.folder());
  }
  return weights;
}

}  // namespace markeval::encoder
