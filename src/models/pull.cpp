// The choice of files, the lock, the downloads, and the exchange of the finished folder with the old one.
#include "models/pull.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <thread>

#include "base/descriptor.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/paths.hpp"
#include "encoder/weight_files.hpp"
#include "models/model_folder.hpp"
#include "models/store.hpp"

namespace markeval::models {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNameLetters = "-._0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kWordLetters = kNameLetters.substr(2), kDigits = kNameLetters.substr(3, 10);

/// Settings and tokenizers, those of other programs too.
constexpr std::string_view kSmallFiles[] = {"config.json",
                                            "tokenizer.json",
                                            "tokenizer_config.json",
                                            "special_tokens_map.json",
                                            "added_tokens.json",
                                            "vocab.txt",
                                            "vocab.json",
                                            "merges.txt",
                                            "spiece.model",
                                            "sentencepiece.bpe.model",
                                            "spm.model",
                                            "modules.json",
                                            "config_sentence_transformers.json"};

/// The files of one format: the weights whole, or a list of shards and the shards.
struct HubWeights {
  std::string_view whole, index, shard_start, shard_end;

  bool is_part(std::string_view name) const {
    return name == index || (name.starts_with(shard_start) && name.ends_with(shard_end) &&
                             name.find('/') == std::string_view::npos);
  }
};

/// In the order of preference.
constexpr std::array<HubWeights, 2> kHubWeights{
    {{encoder::kWeightsName, encoder::kWeightsIndexNames[0], "model-", ".safetensors"},
     {encoder::kTorchName, encoder::kWeightsIndexNames[1], "pytorch_model-", ".bin"}}};

bool is_needed(std::string_view name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) {
    return std::ranges::count(kSmallFiles, name) > 0 ||
           (name.starts_with("sentence_") && name.ends_with("_config.json"));
  }
  // "1_Pooling", "2_Dense": the folders sentence-transformers numbers its modules by.
  const std::string_view folder = name.substr(0, slash), inner = name.substr(slash + 1);
  const std::size_t digits = std::min(folder.find_first_not_of(kDigits), folder.size());
  return digits > 0 && folder.substr(digits).starts_with('_') &&
         folder.find_first_not_of(kWordLetters) == std::string_view::npos &&
         (inner == "config.json" || inner == "model.safetensors");
}

/// OWNER/NAME
bool valid_name(std::string_view name) {
  const std::size_t slash = std::min(name.find('/'), name.size());
  const auto valid_part = [](std::string_view part) {
    return !part.empty() && part.front() != '.' &&
           part.find_first_not_of(kNameLetters) == std::string_view::npos;
  };
  return valid_part(name.substr(0, slash)) && slash < name.size() && valid_part(name.substr(slash + 1));
}

/// One pull of a model at a time: the second waits, then finds it there.
Descriptor wait_for_lock(const std::string& path, const RunContext& context) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!file) throw_io(path, "write");
  while (!try_lock_file(file, path)) {
    context.check_cancelled();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return file;
}

void sync_one(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file) throw_io(path.string(), "open");
  // Some file systems have no such thing for folders (EINVAL); then there is nothing to wait for.
  if (::fsync(file.get()) != 0 && errno != EINVAL) throw_io(path.string(), "write");
}

/// False where the system or the file system has no such operation.
bool exchange(const std::string& one, const std::string& other) {
  if (::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0) return true;
  if (errno == ENOSYS || errno == EINVAL || errno == EOPNOTSUPP) return false;
  throw_io(other, "exchange the folder");
}

void rename_aside(const std::string& from, const std::string& to, const std::string& aside) {
  std::error_code ignored;
  fs::remove_all(aside, ignored);
  if (std::rename(to.c_str(), aside.c_str()) != 0) throw_io(to, "move the folder aside");
  if (std::rename(from.c_str(), to.c_str()) == 0) return;
  const int reason = errno;
  std::rename(aside.c_str(), to.c_str());
  throw_io(to, "put the folder here", reason);
}

}  // namespace

void sync_folder(const std::string& folder) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::file_status status = entry->symlink_status(error);
    if (fs::is_directory(status) || fs::is_regular_file(status)) sync_one(entry->path());
  }
  if (error) throw_io(folder, "read", error.value());
  sync_one(folder);
}

void put_in_place(const std::string& from, const std::string& to, const std::string& aside,
                  bool in_one_step) {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(to, ignored))) {
    if (std::rename(from.c_str(), to.c_str()) != 0) throw_io(to, "put the folder here");
  } else if (!in_one_step || !exchange(from, to)) {
    rename_aside(from, to, aside);
  }
  sync_one(fs::path(to).parent_path());
  // What was replaced has the one name or the other now.
  fs::remove_all(from, ignored);
  fs::remove_all(aside, ignored);
}

std::vector<HubFile> needed_files(const std::string& repository, const std::vector<HubFile>& files) {
  const auto has = [&](std::string_view name) { return std::ranges::count(files, name, &HubFile::name) > 0; };
  if (!has("config.json"))
    throw_invalid(repository + ": no config.json in this repository, so it is no model");
  const auto found = std::ranges::find_if(
      kHubWeights, [&](const HubWeights& format) { return has(format.whole) || has(format.index); });
  if (found == kHubWeights.end())
    throw_invalid(repository + ": neither model.safetensors nor pytorch_model.bin in this repository");
  const bool single = has(found->whole);
  std::vector<HubFile> needed;
  for (const HubFile& file : files) {
    const bool weights = single ? file.name == found->whole : found->is_part(file.name);
    if (weights || is_needed(file.name)) needed.push_back(file);
  }
  // Small ones first: what is wrong with them shows before the weights are fetched.
  std::ranges::stable_sort(needed, {}, &HubFile::size);
  return needed;
}

PullResult pull_model(const PullRequest& request, const RunContext& context) {
  const std::string on_hub = name_on_hub(request.name);
  std::string repository = on_hub, name = on_hub, known_hash;
  if (request.name == kDefaultModel || request.name == kDefaultRepository) {
    repository = kDefaultRepository;
    name = kDefaultModel;
    if (request.revision == "main") known_hash = kDefaultWeightHash;
  }
  if (!valid_name(repository)) {
    throw_usage("model '" + request.name + "', expected OWNER/NAME as on the hub, or " + kDefaultModel);
  }
  const HubClient hub(request.hub, context);
  const fs::path root = request.into.empty() ? model_folders().front() : request.into;
  const fs::path target = root / name;
  const fs::path partial = root / ".partial";
  make_folders(partial.string());
  std::string flat = name;
  std::replace(flat.begin(), flat.end(), '/', ' ');  // no name has a blank
  const Descriptor lock = wait_for_lock((partial / (flat + ".lock")).string(), context);

  ModelOrigin origin = hub.revision(repository, request.revision);
  if (const auto before = path_exists(target.string()) ? read_origin(target.string()) : std::nullopt) {
    if (before->revision == origin.revision && before->repository == repository)
      return {target.string(), origin.revision, true};
  }
  origin.files = needed_files(repository, origin.files);
  for (const HubFile& file : origin.files) {
    if (request.require_checksums && file.sha256.empty() && file.blob_id.empty()) {
      throw_invalid(
          fmt::format("{}: {} lists no checksum of {}, so it cannot be checked whether it is the file "
                      "that was published; --no-checksum takes it as it comes",
                      repository, origin.endpoint, file.name));
    }
  }
  const fs::path work = partial / (flat + "@" + origin.revision);
  for (HubFile& file : origin.files) {
    const fs::path path = work / file.name;
    make_folders(path.parent_path().string());
    hub.download(repository, origin.revision, file, path.string());
    if (file.sha256.empty()) file.sha256 = sha256_of_file(path.string());
  }
  if (!known_hash.empty()) {
    if (const std::string found = weight_hash(encoder::open_weights(work.string())); found != known_hash) {
      throw_invalid(repository + ": weights of sha256 " + found + ", expected " + known_hash +
                    "; to have them all the same, name the revision: --revision " + origin.revision);
    }
  }
  write_origin(work.string(), origin);
  sync_folder(work.string());
  make_folders(target.parent_path().string());
  put_in_place(work.string(), target.string(), (partial / (flat + ".replaced")).string());
  // Half of an older commit is of no use any more.
  std::error_code ignored;
  for (fs::directory_iterator entry(partial, ignored), end; entry != end; entry.increment(ignored)) {
    if (entry->path().filename().string().starts_with(flat + "@")) fs::remove_all(entry->path(), ignored);
  }
  return {target.string(), origin.revision, false};
}

}  // namespace markeval::models
