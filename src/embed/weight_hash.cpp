#include "embed/weight_hash.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "base/mapped_file.hpp"
#include "base/output_file.hpp"
#include "embed/digest.hpp"
#include "embed/model_store.hpp"
#include "embed/places.hpp"

namespace markeval::embed {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string combined(const std::vector<std::string>& hashes) {
  if (hashes.size() == 1) return hashes.front();
  std::string all;
  for (const std::string& hash : hashes) all += hash;
  return sha256_of(all);
}

/// What must stay the same for a kept hash to hold: "name size seconds.nanoseconds inode" per file.
std::optional<std::string> state_of(const std::string& folder, const std::vector<std::string>& files,
                                    bool& settled) {
  std::string state;
  settled = true;
  for (const std::string& name : files) {
    struct stat status {};
    if (stat((fs::path(folder) / name).c_str(), &status) != 0) return std::nullopt;
    state += name + " " + std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) + "." +
             std::to_string(status.st_mtim.tv_nsec) + " " + std::to_string(status.st_ino) + "\n";
    // A file changed within the clock's last tick might change again without its time showing it.
    if (status.st_mtim.tv_sec + 2 > std::time(nullptr)) settled = false;
  }
  return state;
}

std::vector<fs::path> kept_places(const std::string& folder) {
  std::vector<fs::path> places{fs::path(folder) / ".markeval-hash"};
  std::error_code error;
  const fs::path absolute = fs::weakly_canonical(folder, error);
  if (const std::string cache = default_cache_folder(); cache != "none" && !error) {
    places.push_back(fs::path(cache) / "model-hashes" / sha256_of(absolute.string()).substr(0, 32));
  }
  return places;
}

}  // namespace

std::vector<std::string> weight_files(const std::string& folder) {
  const fs::path root(folder);
  if (fs::exists(root / "model.safetensors")) return {"model.safetensors"};
  const fs::path index = root / "model.safetensors.index.json";
  if (!fs::exists(index)) {
    throw_invalid(
        folder + ": no model.safetensors in this folder" +
        (fs::exists(root / "pytorch_model.bin")
             ? "; its pytorch_model.bin must be converted once: python3 -c \"from transformers import "
               "AutoModel; AutoModel.from_pretrained('" +
                   folder + "').save_pretrained('" + folder + "')\""
             : std::string()));
  }
  std::ifstream file(index);
  const json document = json::parse(file, nullptr, false);
  std::set<std::string> shards;
  if (document.is_object() && document.contains("weight_map") && document["weight_map"].is_object()) {
    for (const auto& [tensor, shard] : document["weight_map"].items()) {
      if (!shard.is_string() || shard.get<std::string>().find('/') != std::string::npos) {
        throw_invalid(index.string() + ": weight_map names no file of this folder for '" + tensor + "'");
      }
      shards.insert(shard.get<std::string>());
    }
  }
  if (shards.empty()) throw_invalid(index.string() + ": no weight_map with the names of the weight files");
  return {shards.begin(), shards.end()};
}

std::string compute_weight_hash(const std::string& folder) {
  std::vector<std::string> hashes;
  for (const std::string& name : weight_files(folder)) {
    hashes.push_back(sha256_of_file((fs::path(folder) / name).string()));
  }
  return combined(hashes);
}

std::string weight_hash(const std::string& folder) {
  const std::vector<std::string> files = weight_files(folder);
  bool settled = false;
  const std::optional<std::string> state = state_of(folder, files, settled);
  if (!state) return compute_weight_hash(folder);  // which says what is missing
  const std::vector<fs::path> places = kept_places(folder);
  for (const fs::path& place : places) {
    std::ifstream file(place);
    std::string hash;
    if (!std::getline(file, hash) || hash.size() != 64) continue;
    const std::string rest((std::istreambuf_iterator<char>(file)), {});
    if (rest == *state) return hash;
  }
  const std::string hash = compute_weight_hash(folder);
  bool still_settled = false;
  if (!settled || state_of(folder, files, still_settled) != state) return hash;
  for (const fs::path& place : places) {
    try {
      if (place != places.front()) fs::create_directories(place.parent_path());
      write_whole_file(place.string(), hash + "\n" + *state);
      break;
    } catch (const std::exception&) {
      // A folder of somebody else's: the next place, or none. The hash is right either way.
    }
  }
  return hash;
}

std::string settings_hash(const std::string& folder) {
  // Every small file but notes for people and for us: one more than needed costs a cache miss, one less a
  // wrong vector.
  const std::set<std::string> endings{".json", ".txt", ".model"};
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder).string();
    const bool ours = name == kOriginFile || name.find("/.") != std::string::npos || name.front() == '.';
    if (entry.is_regular_file() && !ours && endings.count(entry.path().extension().string()) != 0)
      files.insert(name);
  }
  Digest digest(Digest::Kind::sha256);
  for (const std::string& name : files) {
    const MappedFile file((fs::path(folder) / name).string());
    digest.add(name + " " + std::to_string(file.bytes().size()) + "\n");
    digest.add({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()});
  }
  return digest.hex();
}

std::string model_name(const std::string& folder) {
  std::error_code error;
  fs::path path = fs::weakly_canonical(folder, error);
  if (error) path = folder;
  if (path.filename().empty()) path = path.parent_path();
  return path.filename().string();
}

std::string model_signature(const std::string& folder) {
  return model_name(folder) + "@" + weight_hash(folder).substr(0, 8);
}

}  // namespace markeval::embed
