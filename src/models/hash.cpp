#include "models/hash.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/digest.hpp"
#include "base/output_file.hpp"

namespace markeval::models {
namespace {

namespace fs = std::filesystem;

/// A file changed within the clock's last ticks might change again without its identity showing it.
bool is_settled(const FileIdentity& identity) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return identity.changed_ns + 2'000'000'000 < std::chrono::nanoseconds(now).count();
}

bool is_hash(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::string hash_of(const OpenFile& file, const HashNotes& notes) {
  if (const auto known = notes.find(file.identity())) return *known;
  const std::string hash = sha256_of(file);
  if (is_settled(file.identity())) notes.keep(file.identity(), hash);
  return hash;
}

}  // namespace

std::string HashNotes::path(const FileIdentity& identity) const {
  return (fs::path(folder_) / "model-hashes" / sha256_of(identity.text()).substr(0, 32)).string();
}

std::optional<std::string> HashNotes::find(const FileIdentity& identity) const {
  if (folder_ == "none") return std::nullopt;
  std::ifstream note(path(identity));
  std::string found, hash;
  if (!std::getline(note, found) || !std::getline(note, hash)) return std::nullopt;
  return found == identity.text() && is_hash(hash) ? std::optional(hash) : std::nullopt;
}

void HashNotes::keep(const FileIdentity& identity, const std::string& hash) const {
  if (folder_ == "none") return;
  try {
    fs::create_directories(fs::path(folder_) / "model-hashes");
    write_whole_file(path(identity), identity.text() + "\n" + hash + "\n");
  } catch (const std::exception&) {
    // No space, or somebody else's folder. The hash is right either way.
  }
}

std::string weight_hash(const encoder::WeightFiles& weights, const HashNotes& notes) {
  std::vector<std::string> hashes;
  for (const OpenFile& file : weights.files) hashes.push_back(hash_of(file, notes));
  if (hashes.size() == 1) return hashes.front();
  return sha256_of(fmt::format("{}", fmt::join(hashes, "")));
}

}  // namespace markeval::models
